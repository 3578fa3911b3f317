//! Reads and writes corpora: the folder of tables described in the project's ARCHITECTURE.
