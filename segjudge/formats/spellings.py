"""The names that files use for an episode's id, its duration and its list of segments."""

from __future__ import annotations

#: Fields that hold an episode's id, the first that is there counts.
ID_KEYS = (
    "id", "episode", "episode_id", "video_id", "clip_id", "clip_uid", "episode_index", "sample_id",
    "data_hash",
)  # fmt: skip

#: In a table of one segment a row, `id` names the row more often than the episode.
ROW_ID_KEYS = (
    "episode", "episode_id", "video_id", "clip_id", "clip_uid", "video", "episode_index",
    "sample_id", "data_hash",
)  # fmt: skip

#: Fields that hold an episode's duration, and their unit ("" where the name doesn't say).
DURATION_KEYS = {
    "duration": "", "duration_sec": "s", "duration_s": "s", "duration_seconds": "s",
    "duration_ms": "ms",
}  # fmt: skip

#: Fields that hold an episode's number of frames.
FRAME_COUNT_KEYS = ("num_frames", "nframes", "n_frames")

#: Fields of an episode that hold segments, in one format or another.
LIST_KEYS = (
    "segments", "reference_segments", "gold_segments", "predicted_subtasks", "labeled_subtasks",
    "subtask_annotation_result", "subtasks", "hand_actions", "hand_captions", "annotations",
    "events", "action_config", "pred", "gold", "sentences", "atoms",
)  # fmt: skip

#: Large fields that are never kept and, in parquet, never loaded.
BLOBS = frozenset(("hand_boxes", "prompt_text", "perception_state", "raw_segments"))
