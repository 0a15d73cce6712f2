"""Makes event_study.csv, by the definitions of eventStudy, one entity and one effect at a time:
python3 tests/analysis/programs/event_study.py > tests/analysis/programs/event_study.csv
"""
import numpy as np
from scipy import stats

N, T = 12, 10
Y = np.array([[np.sin(i * t) + np.cos(3 * i) * t / 10 + i / 3 for t in range(1, T + 1)] for i in range(1, N + 1)])
GAPS = Y.copy()
GAPS[1, 7] = GAPS[8, 5] = GAPS[9, 9] = np.nan
START = np.array([5, 5, 5, 7, 7, 6] + [99] * 6)
STRATA = np.array([0, 1, 0, 1, 0, 1] * 2)
CLUSTERS = np.array([0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 6, 7])


def change(y, i, g, t, base):
    """The change of entity i from the base of wave g to period t, or the slope up to the base."""
    before = y[i, :g]
    if t is None:
        known = ~np.isnan(before)
        return np.polyfit(np.arange(g)[known], before[known], 1)[0] if known.sum() > 2 else np.nan
    if base == "before":
        return y[i, t] - np.nanmean(before) if (~np.isnan(before)).sum() > 2 else np.nan
    return y[i, t] - y[i, g - 1]


def effect(y, cells, weight="simple", notyet=False, strata=None, base=-1, out=()):
    """Effect, and one number of each entity; cells are pairs of wave and period."""
    strata = np.zeros(N, int) if strata is None else strata
    parts = []
    for g, t in cells:
        d = np.array([np.nan if i in out else change(y, i, g, t, base) for i in range(N)])
        last = g - 1 if t is None else max(t, g - 1)
        for s in set(strata):
            ok = ~np.isnan(d) & (strata == s)
            treated = np.where(ok & (START == g))[0]
            controls = np.where(ok & (START != g) & ((START == 99) | (notyet & (last <= START - 1))))[0]
            if len(controls) > 1:
                parts += [(i, t, d[i] - d[controls].mean(), controls, d) for i in treated]
    times = {i: sum(p[0] == i for p in parts) for i in range(N)}
    entities = {p[1] - START[p[0]]: 0 for p in parts if p[1] is not None}
    for i, t, *_ in parts:
        if t is not None:
            entities[t - START[i]] += 1
    w = [1 / times[i] if weight == "group" else 1 / entities[t - START[i]] if weight == "dynamic" else 1 for i, t, *_ in parts]
    u = np.full(N, np.nan)
    for k, (i, t, x, controls, d) in zip(w, parts):
        u[i] = np.nan_to_num(u[i]) + k * x / sum(w)
        for j in controls:
            u[j] = np.nan_to_num(u[j]) - k * (d[j] - d[controls].mean()) / len(controls) / sum(w)
    return u


def line(name, u, cells, strata=None):
    strata = np.zeros(N, int) if strata is None else strata
    waves = {g for g, _ in cells}
    groups = {}
    for i in np.where(~np.isnan(u))[0]:
        groups.setdefault((START[i] if START[i] in waves else 99, strata[i]), []).append(u[i])
    treated = [x for (g, _), x in groups.items() if g != 99]
    controls = [x for (g, _), x in groups.items() if g == 99]
    several, alone = [x for x in treated if len(x) > 1], [x for x in treated if len(x) == 1]
    count = len(several) + (len(alone) > 0)
    d = min(sum(map(len, treated)) - count, sum(map(len, controls)) - len(controls))
    if len(alone) == 1 and several:
        alone.append(several.pop(0))
    pooled = ([sum(alone, [])] if alone else []) + several + controls
    v = np.array([len(x) * np.var(x, ddof=1) if len(x) > 1 else np.nan for x in pooled])
    df = v.sum() ** 2 / sum(a * a / (len(x) - 1) if len(x) > 1 else np.nan for a, x in zip(v, pooled))
    student(name, np.nansum(u), np.sqrt(v.sum()) if d > 0 else np.nan, min(df, d) if d < 3 else df)


def student(name, e, se, df):
    half = stats.t.ppf(0.975, df) * se
    print(",".join([name] + [f"{x:.15g}" for x in (e, e - half, e + half, 2 * stats.t.sf(abs(e) / se, df))]))


def total(y, cells, out=()):
    """The log of the ratio of observed and expected sums, from the mean before the start."""
    seen = expected = 0
    for g, t in cells:
        keep = [i for i in range(N) if i not in out and not np.isnan(change(y, i, g, t, "before"))]
        after = lambda side: sum(y[i, t] for i in keep if (START[i] == g) == side and START[i] in (g, 99))
        before = lambda side: sum(np.nanmean(y[i, :g]) for i in keep if (START[i] == g) == side and START[i] in (g, 99))
        seen += after(True)
        expected += before(True) * after(False) / before(False)
    return np.log(seen / expected)


def jackknife(without, full, groups):
    return [(len(x) - 1) / len(x) * sum((without(i) - full) ** 2 for i in x) for x in groups]


print("study,row,of,effect,lower,upper,p_value")
WAVES = [5, 6, 7]
after = [(g, t) for g in WAVES for t in range(g, T)]
for panel, y in (("all", Y), ("gaps", GAPS)):
    for controls in ("never", "not-yet"):
        notyet = controls == "not-yet"
        for at in [k for k in range(-7, 5) if k != -1]:
            cells = [(g, g + at) for g in WAVES if 0 <= g + at < T]
            line(f"{panel} {controls},time,{at}", effect(y, cells, notyet=notyet), cells)
        for g in WAVES:
            cells = [c for c in after if c[0] == g]
            line(f"{panel} {controls},wave,{g}", effect(y, cells, "group", notyet), cells)
        for kind in ("group", "simple", "dynamic"):
            line(f"{panel} {controls},overall,{kind}", effect(y, after, kind, notyet), after)
        slope = [(g, None) for g in WAVES]
        line(f"{panel} {controls},slope,", effect(y, slope, notyet=notyet), slope)
    line(f"{panel} before,overall,group", effect(y, after, "group", base="before"), after)
    line(f"{panel} within,overall,group", effect(y, after, "group", strata=STRATA), after, STRATA)
    x = np.exp(y)
    e = total(x, after)
    # The wave of one joins the first wave.
    parts = jackknife(lambda i: total(x, after, [i]), e, [[5, 0, 1, 2], [3, 4], range(6, 12)])
    student(f"{panel} total,overall,", e, np.sqrt(sum(parts)), 3)
    full = np.nansum(effect(y, after, "group"))
    members = [np.where(CLUSTERS == c)[0] for c in range(8)]
    own, others = jackknife(lambda c: np.nansum(effect(y, after, "group", out=members[c])), full, [range(6), range(6, 8)])
    student(f"{panel} cluster,overall,group", full, np.sqrt(own + others), (own + others) ** 2 / (own**2 / 5 + others**2))
