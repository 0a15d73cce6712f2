# Makes check_values.csv, the numbers of R that the tests of distributions and survival compare with:
#   Rscript tests/analysis/check_values.R > tests/analysis/check_values.csv
suppressPackageStartupMessages(library(survival))
line <- function(name, x, y, value) cat(sprintf("%s,%.17g,%.17g,%.15g\n", name, x, y, value))
cat("name,x,y,value\n")

# The quantile of Student's t for a tail on each side, by degrees of freedom.
for (degrees in c(1, 1.5, 2, 3.567567567567567, 10, 100, 10000)) {
  for (tail in c(0.25, 0.025, 0.005, 0.0005)) {
    line("student_quantile", tail, degrees, qt(tail, degrees, lower.tail = FALSE))
  }
}
for (degrees in c(1, 2.5, 7.7, 40)) {
  for (t in c(0.1, 2.3, 12)) line("student_tails", t, degrees, 2 * pt(-t, degrees))
}
for (z in c(0, 0.1, 1.96, 2.6502, 2.9, 8, 20)) line("normal_tails", z, 0, 2 * pnorm(-z))
for (x in c(1e-8, 0.1, 1, 3.3, 11, 12, 50, 1e5)) line("log_gamma", x, 0, lgamma(x))
for (x in c(1e-8, 0.1, 1, 3.3, 11, 50)) line("log_gamma_rise", x, 2.5, lgamma(x + 2.5) - lgamma(x))

# Miller's leukaemia data: Kaplan-Meier.
maintained <- aml[aml$x == "Maintained", ]
fit <- survfit(Surv(time, status) ~ 1, data = maintained, conf.type = "log-log")
for (i in seq_along(fit$time)) {
  line("aml_survival", fit$time[i], 0, fit$surv[i])
  line("aml_error", fit$time[i], 0, fit$std.err[i] * fit$surv[i])
}

# Two cohorts, 100 of whom 90 and 81 stay, and 1000 of whom 100 stay in the one month that is over.
users <- data.frame(
  time = c(rep(1, 10), rep(2, 9), rep(2, 81), rep(1, 900), rep(1, 100)),
  lost = c(rep(1, 10), rep(1, 9), rep(0, 81), rep(1, 900), rep(0, 100)),
  cohort = c(rep("a", 100), rep("b", 1000))
)
all <- survfit(Surv(time, lost) ~ 1, data = users)
line("cohorts_survival", 2, 0, all$surv[2])

# Two proportions without correction: the score test.
line("score_test", 56 / 70, 48 / 80, prop.test(c(56, 48), c(70, 80), correct = FALSE)$p.value)

# t test of two logits, with jackknife errors, and degrees of freedom by Kish and Satterthwaite.
logit_of <- function(x, n) {
  p <- sum(x) / sum(n)
  without <- (sum(x) - x) / (sum(n) - n)
  error <- sqrt((length(x) - 1) / length(x) * sum((without - p)^2))
  c(qlogis(p), (error / (p * (1 - p)))^2, sum(n)^2 / sum(n^2) - 1, error)
}
a <- logit_of(c(90, 100, 30, 60, 45), c(100, 200, 100, 100, 150))
b <- logit_of(c(20, 30, 50), c(100, 110, 120))
degrees <- (a[2] + b[2])^2 / (a[2]^2 / a[3] + b[2]^2 / b[3])
line("jackknife_test", 0, 0, 2 * pt(-abs(a[1] - b[1]) / sqrt(a[2] + b[2]), degrees))
bounds <- plogis(a[1] + c(-1, 1) * qt(0.975, a[3]) * sqrt(a[2]))
line("cluster_error", 0, 0, a[4])
line("cluster_lower", 0, 0, bounds[1])
line("cluster_upper", 0, 0, bounds[2])

# Benjamini and Hochberg.
for (p in list(c(0.01, 0.02, 0.03, 0.04, 0.05, 0.5), c(0.04, 0.001, 0.03, 0.9))) {
  adjusted <- p.adjust(p, "BH")
  for (i in seq_along(p)) line("benjamini_hochberg", p[i], length(p), adjusted[i])
}

# "Regular" customers of Fader and Hardie (2007): errors of the fit by its curvature.
regular <- c(1, .631, .468, .382, .326, .289, .262, .241)
likelihood <- function(q, c = 1) {
  a <- exp(q[1]); b <- exp(q[2]); t <- 0:7
  s <- exp(lbeta(a, b + t^c) - lbeta(a, b))
  -1000 * (sum(-diff(regular) * log(-diff(s))) + regular[8] * log(s[8]))
}
fit <- optim(c(-.35, .17), likelihood, control = list(reltol = 1e-15, maxit = 5000))
covariance <- solve(optimHess(fit$par, likelihood, control = list(ndeps = c(1e-4, 1e-4))))
line("regular_correlation", 0, 0, cov2cor(covariance)[1, 2])
for (month in c(12, 24)) {
  left <- function(q) exp(lbeta(exp(q[1]), exp(q[2]) + month) - lbeta(exp(q[1]), exp(q[2])))
  h <- 1e-5
  slope <- c(left(fit$par + c(h, 0)) - left(fit$par - c(h, 0)), left(fit$par + c(0, h)) - left(fit$par - c(0, h))) / (2 * h)
  line("regular_survival", month, 0, left(fit$par))
  line("regular_survival_error", month, 0, sqrt(drop(slope %*% covariance %*% slope)))
}
