"""Prints the median milliseconds of analyses in pandas, as JSON. Entities are texts of dtype object."""
import json
import sys
import time

import numpy as np
import pandas as pd

entities, periods, runs = (int(text) for text in sys.argv[1:4])
clock = time.process_time if sys.argv[4:] == ["cpu"] else time.perf_counter
random = np.random.default_rng(1)
names = np.array([f"protocol_{at:04d}" for at in range(entities)], dtype=object)
frame = pd.DataFrame({
    "protocol": np.tile(names, periods),
    "date": np.repeat(pd.date_range("2022-01-08", periods=periods), entities),
    "users": random.integers(1, 1000, entities * periods).astype(float),
    "price": np.exp(random.random(entities * periods) * 4),
})
frame["fees"] = frame.users * frame.price


def grouped(column):
    return frame.groupby("protocol", sort=False)[column]


def growth():
    before = grouped("fees").shift(1)
    return frame.assign(growth=(frame.fees - before) / before.abs())


def indexed():
    return frame.assign(index=frame.fees / grouped("fees").transform("first") * 100)


def rolling():
    return frame.assign(
        mean=grouped("fees").rolling(7).mean().reset_index(level=0, drop=True))


def shares():
    total = frame.groupby("date").fees.transform("sum")
    share = frame.fees / total
    hhi = (share ** 2).groupby(frame.date).transform("sum")
    before = share.groupby(frame.protocol, sort=False).shift(1)
    change = (share ** 2 - before ** 2).groupby(frame.date).transform("sum")
    return frame[["date", "protocol"]].assign(
        share=share, total=total, hhi=hhi, hhi_shift=change, status="stays", complete=True)


def contributions():
    before = grouped("fees").shift(1)
    total = before.groupby(frame.date).transform("sum")
    part = (frame.fees - before) / total
    return frame[["date", "protocol"]].assign(
        contribution=part, total=part.groupby(frame.date).transform("sum"),
        status="stays", partial=False)


def decompose():
    before = {name: grouped(name).shift(1) for name in ("fees", "users", "price")}
    mean = (frame.fees - before["fees"]) / np.log(frame.fees / before["fees"])
    parts = [frame[["date", "protocol"]].assign(
        factor=name, change=mean * np.log(frame[name] / before[name]), partial=False)
        for name in ("users", "price")]
    return pd.concat(parts).sort_values(["date"], kind="stable")


def top_n():
    last = frame[frame.date == frame.date.max()]
    top = last.nlargest(10, "fees").protocol
    kept = frame.protocol.isin(top)
    rest = frame[~kept].groupby("date", as_index=False).fees.sum().assign(protocol="(other)")
    return pd.concat([frame[kept], rest]).sort_values(["date", "fees"], ascending=[True, False])


def concentration():
    total = frame.groupby("date").fees.transform("sum")
    share = frame.fees / total
    ordered = share.groupby(frame.date).rank(ascending=False, method="first")
    rows = len(frame.date.unique())
    gini = frame.groupby("date").fees.apply(
        lambda own: (2 * own.rank(method="first") - len(own) - 1).mul(own).sum() / len(own) / own.sum())
    return pd.DataFrame({
        "hhi": (share ** 2).groupby(frame.date).sum(),
        "top_1": share.where(ordered <= 1).groupby(frame.date).sum(),
        "top_5": share.where(ordered <= 5).groupby(frame.date).sum(),
        "gini": gini,
    }, index=gini.index[:rows])


def median(way):
    times = []
    for run in range(runs + 1):
        start = clock()
        way()
        if run > 0:
            times.append((clock() - start) * 1000)
    return sorted(times)[len(times) // 2]


ways = dict(growthRates=growth, indexed=indexed, rollingMean=rolling, shares=shares,
            contributions=contributions, decompose=decompose, topN=top_n, concentration=concentration)
print(json.dumps({"version": pd.__version__, **{name: median(way) for name, way in ways.items()}}))
