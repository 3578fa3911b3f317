# Traits of readers, a mixed model of durations, and results of a study, from the tables of gazeprint.
#
#     Rscript traits.R SACCADES TRAITS STUDY
#
# SACCADES is the folder of `gazeprint export CORPUS --to saccades`, TRAITS that of `gazeprint traits CORPUS --out`,
# and STUDY that of `gazeprint study CORPUS --out`.
suppressPackageStartupMessages(library(lme4))

folders <- commandArgs(trailingOnly = TRUE)
stopifnot(length(folders) == 3)
tidy <- function(folder, table) {
  # Names of readers and texts are names, also where they look like numbers.
  names <- c(reader = "character", text = "character", session = "character", trial = "character")
  file <- file.path(folder, paste0(table, ".csv"))
  there <- names(read.csv(file, nrows = 1, check.names = FALSE))
  read.csv(file, colClasses = names[intersect(names(names), there)], na.strings = "", check.names = FALSE)
}

# A row for each fixation that counts.
fixations <- subset(tidy(folders[1], "saccades"), is.na(dropped))
cat(sprintf("%d readers, %d texts, %d fixations\n",
            length(unique(fixations$reader)), length(unique(fixations$text)), nrow(fixations)))

# Durations by the length of the word and the type of saccade, with readers and texts as random effects.
fixations$log_duration <- log(fixations$duration_ms)
fixations$length <- scale(fixations$word_length)
model <- lmer(log_duration ~ length + type + (1 + length | reader) + (1 | text), data = fixations,
              control = lmerControl(optimizer = "bobyqa"))
print(round(fixef(model), 4))

# Traits of readers: a row for each reader and trait; wide, a column for each trait.
traits <- tidy(folders[2], "traits")
wide <- reshape(traits[c("reader", "trait", "estimate")], idvar = "reader", timevar = "trait", direction = "wide")
names(wide) <- sub("^estimate\\.", "", names(wide))

# What the model thinks of each reader, and their mean duration, say the same.
readers <- ranef(model)$reader
at <- match(wide$reader, rownames(readers))
agreement <- cor(readers[["(Intercept)"]][at], log(wide$fixation_duration), use = "complete.obs")
cat(sprintf("model and traits agree: %.3f\n", agreement))

# Traits that tell readers apart.
reliability <- tidy(folders[2], "reliability")
best <- head(reliability[order(-reliability$split_half), c("trait", "mean", "sd", "split_half")], 5)
print(best, row.names = FALSE)

# Results of a study: accuracy over the amount of text.
accuracy <- read.csv(file.path(folders[3], "figures", "accuracy.csv"))
print(head(accuracy), row.names = FALSE)
