# Makes wilson_table.csv, the Wilson intervals that wilson_bounds_test.ts compares with:
#   Rscript tests/analysis/wilson_table.R > tests/analysis/wilson_table.csv
pairs <- rbind(
  expand.grid(x = 0:1, n = 1), expand.grid(x = 0:2, n = 2), expand.grid(x = 0:3, n = 3),
  expand.grid(x = c(0, 1, 4, 5), n = 5), expand.grid(x = c(0, 1, 5, 9, 10), n = 10),
  expand.grid(x = c(0, 7, 20), n = 20), expand.grid(x = c(0, 1, 33, 99, 100), n = 100),
  expand.grid(x = c(0, 2, 631, 999, 1000), n = 1000),
  expand.grid(x = c(0, 17, 400000, 1000000), n = 1000000)
)
cat("x,n,confidence,lower,upper\n")
for (confidence in c(0.5, 0.8, 0.9, 0.95, 0.99, 0.999999)) {
  for (i in seq_len(nrow(pairs))) {
    x <- pairs$x[i]
    n <- pairs$n[i]
    bounds <- suppressWarnings(prop.test(x, n, conf.level = confidence, correct = FALSE))$conf.int
    cat(sprintf("%d,%d,%s,%.17g,%.17g\n", as.integer(x), as.integer(n), format(confidence, digits = 15), bounds[1], bounds[2]))
  }
}
