"""Which verb a label means: the traps of the Ego4D spelling, tier by tier."""

from __future__ import annotations

import pytest

from segjudge.errors import UsageError
from segjudge.verbs import EGO4D, Taxonomy, Tier, Verb, built_in, forms

EGO = built_in()


def head(label: str, taxonomy: Taxonomy = EGO) -> str | None:
    verb = taxonomy.resolve(label).verb
    return None if verb < 0 else taxonomy.verbs[verb].head


def tier(label: str, taxonomy: Taxonomy = EGO) -> Tier:
    return taxonomy.resolve(label).tier


def test_the_lists_have_118_117_and_115_verbs() -> None:
    assert {name: len(labels) for name, labels in EGO4D.items()} == {
        "ego4d-118": 118,
        "ego4d-117": 117,
        "ego4d-115": 115,
    }
    assert set(EGO4D["ego4d-118"]) - set(EGO4D["ego4d-117"]) == {"cross"}
    assert set(EGO4D["ego4d-117"]) - set(EGO4D["ego4d-115"]) == {"watch", "wave"}


def test_a_list_that_does_not_exist_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="ego4d-118, ego4d-117, ego4d-115"):
        built_in("ego4d-120")


def test_all_heads_differ_and_every_label_and_head_means_itself() -> None:
    assert len({verb.head for verb in EGO.verbs}) == 118
    for index, verb in enumerate(EGO.verbs):
        assert EGO.resolve(verb.label) == (index, Tier.LABEL)
        assert EGO.resolve(verb.head).verb == index


def test_the_first_tiers_give_no_word_to_two_verbs() -> None:
    for verb in EGO.verbs:
        assert {head(word) for word in verb.synonyms} <= {verb.head}
        assert {head(form) for form in forms(verb.head.replace("_", " "))} == {verb.head}


@pytest.mark.parametrize(
    ("label", "means"),
    [
        ("turn_(spin,_rotate,_flip,_turn_over)", "turn"),
        ("turn_off_(turn_off,_switch_off)", "turn_off"),
        ("turn_on_(switch_on,_start,_light)", "turn_on"),
        ("turn", "turn"),
        ("turn_off", "turn_off"),
        ("turn off the tap", "turn_off"),
        ("turn (off)", "turn_off"),
        ("turning on the lamp", "turn_on"),
        ("turn over", "turn"),
        ("turn_over the pancake", "turn"),
        ("switch_off", "turn_off"),
        ("switch on the light", "turn_on"),
        ("turn the tap off", "turn"),
    ],
)
def test_turn_turn_off_and_turn_on_stay_apart(label: str, means: str) -> None:
    assert head(label) == means


@pytest.mark.parametrize(
    ("label", "means"),
    [
        ("file_(with_tool)", "file"),
        ("file", "file"),
        ("with tool", None),
        ("increase", "adjust"),
        ("reduce", "adjust"),
        ("increase/reduce", "adjust"),
        ("plug-in", "attach"),
        ("plug in", "attach"),
        ("click-button", "operate"),
        ("click_button", "operate"),
        ("attach", "attach"),
        ("glue", "stick"),
        ("eat", "consume"),
    ],
)
def test_parentheses_slashes_and_hyphens(label: str, means: str | None) -> None:
    assert head(label) == means


@pytest.mark.parametrize(
    ("label", "means"),
    [
        ("holding", "hold"),
        ("Holding the cup.", "hold"),
        ("held", "hold"),
        ("putting", "put"),
        ("puts", "put"),
        ("cut", "cut"),
        ("cutting", "cut"),
        ("tying", "tie"),
        ("untying", "untie"),
        ("dipping", "dip"),
        ("sewing", "sew"),
        ("sewn", "sew"),
        ("carries", "carry"),
        ("drying", None),
        ("fried", "fry"),
        ("squeezing", "squeeze"),
        ("opening", "open"),
        ("opened", "open"),
        ("knitting", "knit"),
        ("sieving", "sieve"),
        ("taken", "take"),
        ("wrote", "write"),
        ("ground", "grind"),
        ("mixes", "mix"),
        ("washes", "wash"),
    ],
)
def test_inflected_forms_are_built_for_the_heads(label: str, means: str | None) -> None:
    assert head(label) == means


@pytest.mark.parametrize("label", ["hol", "putt", "ti", "dipp", "cuting", "holded", "seing"])
def test_no_letters_are_chopped(label: str) -> None:
    assert tier(label) is Tier.UNKNOWN


def test_forms_of_synonyms_are_not_built() -> None:
    assert head("grip") == "hold"
    assert head("gripping") is None
    assert head("leave") == "put"
    assert head("left hand") is None


@pytest.mark.parametrize(
    ("label", "means"),
    [
        ("hold cup", "hold"),
        ("hold_cup", "hold"),
        ("HOLD  the\tcup", "hold"),
        ("hold (the cup)", "hold"),
        ("hold/carry", "hold"),
        ("pick up the cup", "take"),
        ("a hand holds", None),
        ("the cover", None),
        ("cup", None),
        ("", None),
        ("   ", None),
        ("…", None),
        ("拿起杯子", None),
        ("no action", None),
        ("idle", None),
        ("ｈｏｌｄ", "hold"),
        ("put_(place,_leave,_drop)", "put"),
        ("Put (place, leave, drop)", "put"),
        ("put（place，leave，drop）", "put"),
    ],
)
def test_only_the_leading_words_of_a_phrase_count(label: str, means: str | None) -> None:
    assert head(label) == means


def test_the_tiers_are_tried_in_order() -> None:
    words = Taxonomy(
        "own",
        [
            Verb.parse("move_(carry)", ["lift", "shift"]),
            Verb.parse("carry_(lift)", ["move"]),
            Verb.parse("lift", ["carry", "shift"]),
            Verb.parse("draw_(stretch)"),
            Verb.parse("pull_(stretch)"),
        ],
    )
    assert (head("carry", words), tier("carry", words)) == ("carry", Tier.HEAD)
    assert (head("lift", words), tier("lift", words)) == ("lift", Tier.LABEL)
    assert (head("carrying", words), tier("carrying", words)) == ("carry", Tier.FORM)
    assert tier("shift", words) is Tier.AMBIGUOUS
    assert tier("stretch", words) is Tier.AMBIGUOUS
    assert head("stretch", words) is None


def test_group_words_count_only_where_the_user_gives_them() -> None:
    assert head("grab") == "take"
    assert head("seize") is None
    own = Taxonomy("own", [Verb.parse("take_(pick,_grab,_get)", ["take", "seize"])])
    assert (head("seize", own), tier("seize", own)) == ("take", Tier.GROUP)


def test_a_verb_that_the_list_lacks_is_unknown() -> None:
    assert head("cross") == "cross"
    assert head("cross", built_in("ego4d-117")) is None
    assert head("wave", built_in("ego4d-115")) is None
