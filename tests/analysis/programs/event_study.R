# Makes event_study.csv, by the definitions of eventStudy, one entity and one effect at a time:
#   Rscript tests/analysis/programs/event_study.R > tests/analysis/programs/event_study.csv
y <- outer(1:12, 1:10, function(i, t) sin(i * t) + cos(3 * i) * t / 10 + i / 3)
start <- c(6, 6, 6, 8, 8, 7, rep(0, 6))
# `counts` chooses the times of waves. With `once`, each treated entity counts once, by its mean over these times.
effect <- function(y, start, counts, once = FALSE, notyet = FALSE) {
  cells <- list()
  span <- numeric(nrow(y))
  last <- ifelse(start == 0, Inf, start - 1)
  for (g in unique(start[start > 0])) for (t in setdiff(1:ncol(y), g - 1)) if (counts(g, t - g)) {
    d <- y[, t] - y[, g - 1]
    treated <- which(start == g & !is.na(d))
    controls <- which(!is.na(d) & start != g & (start == 0 | notyet & max(t, g - 1) <= last))
    span[treated] <- span[treated] + 1
    cells <- c(cells, list(list(g = g, d = d, treated = treated, controls = controls)))
  }
  weight <- if (once) ifelse(span > 0, 1 / span, 0) / sum(span > 0) else rep(1 / sum(span), nrow(y))
  u <- rep(NA_real_, nrow(y))
  add <- function(i, x) u[i] <<- ifelse(is.na(u[i]), 0, u[i]) + x
  for (cell in cells) with(cell, if (length(treated) > 0) {
    change <- d - mean(d[controls])
    add(treated, weight[treated] * change[treated])
    add(controls, -sum(weight[treated]) / length(controls) * change[controls])
  })
  stratum <- ifelse(start %in% sapply(cells, `[[`, "g"), start, 0)[!is.na(u)]
  u <- u[!is.na(u)]
  k <- table(stratum[stratum > 0])
  alone <- as.numeric(names(k)[k == 1])
  if (length(alone) == 1 && any(k > 1)) alone <- c(alone, as.numeric(names(k)[k > 1][1]))
  stratum[stratum %in% alone] <- -1
  v <- tapply(u, stratum, function(x) length(x) * var(x))
  k <- tapply(u, stratum, length)
  c(effect = sum(u), se = sqrt(sum(v)), degrees = sum(v)^2 / sum(v^2 / (k - 1)))
}
line <- function(study, row, of, e) {
  half <- qt(.975, e[3]) * e[2]
  cat(sprintf("%s,%s,%s,%.15g,%.15g,%.15g\n", study, row, of, e[1], e[1] - half, e[1] + half))
}
cat("study,row,of,effect,lower,upper\n")
gaps <- y
gaps[2, 8] <- gaps[9, 6] <- gaps[10, 10] <- NA
for (panel in c("all", "gaps")) for (controls in c("never", "not-yet")) {
  use <- function(counts, once) effect(if (panel == "all") y else gaps, start, counts, once, controls == "not-yet")
  study <- paste(panel, controls)
  for (at in setdiff(-7:4, -1)) line(study, "time", at, use(function(g, e) e == at, FALSE))
  for (wave in 6:8) line(study, "wave", wave, use(function(g, e) g == wave && e >= 0, TRUE))
  line(study, "overall", "", use(function(g, e) e >= 0, TRUE))
}
# All 28 arrangements of 8 entities, of which 2 begin in period 6 of 8.
y <- y[1:8, 1:8]
times <- c(-5:-2, 0:2)
begin <- function(i) replace(rep(0, 8), i, 6)
estimates <- function(y, i) sapply(times, function(at) effect(y, begin(i), function(g, e) e == at))
sizes <- function(y) apply(combn(8, 2), 2, function(i) { e <- estimates(y, i); abs(e[1, ] / e[2, ]) })
found <- estimates(y, 1:2)
t <- sizes(y)
off <- y
off[1:2, 6 + times] <- off[1:2, 6 + times] - rep(found[1, ], each = 2)
reach <- sort(apply(sizes(off), 2, max))[ceiling(.95 * 28)]
pre <- mean(apply(t[1:4, ], 2, max) >= max(t[1:4, 1]) - 1e-9)
for (j in seq_along(times)) {
  p <- mean(t[j, ] >= t[j, 1] - 1e-9)
  cat(sprintf("permuted,time,%d,%.15g,%.15g,%.15g\n", times[j], p, pre, found[1, j] + reach * found[2, j]))
}
