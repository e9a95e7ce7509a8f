"""What of a case an audit of its judge can show."""

from __future__ import annotations

from segjudge.auditing import Candidate
from segjudge.report.detail import largest
from segjudge.scoring.case import Case
from segjudge.scoring.detail import weigh


def candidates(case: Case) -> list[Candidate]:
    """Return the label pairs that a judge decided, people left out, with what hangs on each.

    Where a person has decided a pair as well, it is what the judge says without them.
    """
    weighed = weigh(case)
    records = (case.unaided or case.decided).record
    found = []
    for row, weight in zip(weighed.row.tolist(), largest(weighed).tolist(), strict=True):
        record = records[row]
        if record is not None and not record.is_human:
            found.append(Candidate(record, weight))
    return found
