"""The names of the Ego4D verb classes: facts, as models and annotators write them.

The longer groups of synonyms belong to Ego4D's annotations and are not here; a user who has the
taxonomy's CSV gives it with ``--verbs FILE``.
"""

from __future__ import annotations

#: The narration taxonomy, in its alphabetical order.
_NARRATION = """
adjust_(regulate,_increase/reduce,_change) apply_(spread,_smear)
arrange_(straighten,_sort,_distribute,_align) attach_(plug-in,_join,_fasten,_connect,_attach)
blow break carry catch clap clean_(sweep,_scrub,_mop,_dust) climb close
consume_(taste,_sip,_eat,_drink) count cover crochet cross cut_(trim,_slice,_chop)
detach_(unplug,_unhook,_disconnect) dig dip divide_(split,_separate) draw drill
drive_(ride,_drive) enter feed file_(with_tool) fill fold fry give grate grind hang
hit_(knock,_hit,_hammer) hold_(support,_grip,_grasp) insert inspect_(check,_look,_examine,_view)
iron kick knead knit lift lock loosen mark measure_(weigh,_measure) mix mold
move_(transfer,_pass,_exchange) open operate_(use,_dial,_click-button) pack paint park peel pet
plant play point pour press pull pump push put_(place,_leave,_drop) read remove repair roll sand
scoop scrape screw scroll search serve sew_(weave,_stitch,_sew) shake sharpen shuffle sieve sit
smooth spray sprinkle squeeze stand step stick_(tape,_stick,_glue) stretch swing
take_(pick,_grab,_get) talk_(talk,_interact,_converse) throw_(toss,_dump,_dispose) tie tighten tilt
touch turn_(spin,_rotate,_flip,_turn_over) turn_off_(turn_off,_switch_off)
turn_on_(switch_on,_start,_light) uncover unfold unroll unscrew untie walk wash watch water wave
wear weld wipe write zip
"""

#: What each of the two lists of the anticipation benchmark lacks of it.
_LACKING = {"118": (), "117": ("cross",), "115": ("cross", "watch", "wave")}

#: Name of a list -> its labels.
EGO4D: dict[str, tuple[str, ...]] = {
    f"ego4d-{number}": tuple(label for label in _NARRATION.split() if label not in lacking)
    for number, lacking in _LACKING.items()
}

DEFAULT = "ego4d-118"
