# A corpus folder as tidy frames, and a frame of R as a corpus folder.
#
#     Rscript corpus.R CORPUS NEW
fixations <- read.csv(file.path(commandArgs(trailingOnly = TRUE)[1], "fixations.csv"),
                      colClasses = c(reader = "character", text = "character"))
words <- read.csv(file.path(commandArgs(trailingOnly = TRUE)[1], "words.csv"), colClasses = c(text = "character"))

# Fixations per word and reader, on the first line of each text: a plain join by place.
first <- if ("line" %in% names(fixations)) subset(fixations, line == 1) else fixations
lines <- if ("line" %in% names(words)) subset(words, line == 1) else words
on_words <- merge(first, lines, by = "text")
on_words <- subset(on_words, x_char >= char_start - 1 & x_char < char_end)
per_reader <- aggregate(duration_ms ~ reader, on_words, mean)
print(head(per_reader), row.names = FALSE)

# Back again: readers who fixate often, as a corpus of their own.
counts <- table(fixations$reader)
often <- names(counts)[counts >= median(counts)]
folder <- commandArgs(trailingOnly = TRUE)[2]
dir.create(folder, showWarnings = FALSE)
write.csv(subset(fixations, reader %in% often), file.path(folder, "fixations.csv"), row.names = FALSE, na = "")
write.csv(words, file.path(folder, "words.csv"), row.names = FALSE, na = "")
cat(sprintf("%d of %d readers\n", length(often), length(counts)))
