"""How a metric is asked for, and what it answers to."""

from __future__ import annotations

import pytest
from corpora import EVERY_METRIC

from segjudge.errors import UsageError
from segjudge.metrics import Options, make, make_all, names
from segjudge.metrics.one_to_one import one_to_one


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("psj", "psj"),
        (" psj_same ", "psj_same"),
        ("semantic_f1", "semantic_f1@0.75"),
        ("semantic_f1@.5", "semantic_f1@0.5"),
        ("semantic_f1@0.750,snap=none,order=joint", "semantic_f1@0.75"),
        ("semantic_f1@0.75,order=temporal_first", "semantic_f1@0.75,order=temporal_first"),
        (
            "semantic_f1_same@1.0, order=temporal_first, snap=outer",
            "semantic_f1_same@1,snap=outer,order=temporal_first",
        ),
        ("segmentation_f1@0.1,snap=outer", "segmentation_f1@0.1,snap=outer"),
    ],
)
def test_key(text, key):
    assert make(text).key == key
    assert make(make(text).key) == make(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("psi", "no metric is called 'psi'; there are"),
        ("", "no metric is called ''"),
        ("psj@0.5", "psj has no @0.5"),
        ("psj,snap=outer", "psj has no snap=outer"),
        ("semantic_f1@0.75,snap=inner", "snap='inner' is unknown; expected none or outer"),
        ("semantic_f1@0.75,order=", "order='' is unknown"),
        ("semantic_f1@0.75,tau=3", "semantic_f1 has no tau=3"),
        ("semantic_f1@0.75,snap", "'snap' is no option"),
        ("semantic_f1@0.75,=outer", "'=outer' is no option"),
        ("semantic_f1@0.75,snap=outer,snap=none", "'snap=none' is no option"),
        ("semantic_f1@", "no IoU threshold"),
        ("semantic_f1@75", "no IoU threshold"),
        ("segmentation_f1@0.5,order=joint", "segmentation_f1 has no order=joint"),
    ],
)
def test_refused(text, said):
    with pytest.raises(UsageError) as caught:
        make(text)
    assert said in str(caught.value)


def test_each_once():
    made = make_all(["psj", "semantic_f1", "semantic_f1@0.75", "semantic_f1@0.5", "psj"])
    assert [metric.key for metric in made] == ["psj", "semantic_f1@0.75", "semantic_f1@0.5"]


def test_milliseconds_reach_the_threshold():
    assert make("semantic_f1@0.5", resolution=1000).threshold.resolution == 1000
    assert make("semantic_f1@0.5").threshold.resolution == 1


def test_every_metric_says_which_answer_it_reads():
    reads = {text.partition("@")[0]: make(text).reads for text in EVERY_METRIC}
    assert reads == {
        "psj": "permissible",
        "psj_same": "same",
        "segmentation_f1": "",
        "semantic_f1": "permissible",
        "semantic_f1_same": "same",
    }
    assert reads.keys() == set(names())


def test_a_metric_of_another_package_takes_its_own_options():
    options = Options("mine@0.3,mode=b,snap=outer")
    assert options.name == "mine"
    assert options.choice("mode", ("a", "b")) == "b"
    made = one_to_one("mine", "same", options)
    assert made.key == "mine@0.3,snap=outer"
    with pytest.raises(UsageError, match="mine has no mode=b"):
        one_to_one("mine", "same", Options("mine@0.3,mode=b"))
