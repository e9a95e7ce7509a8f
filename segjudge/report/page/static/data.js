// The page's data: compact columns in, episodes with segments, pairs and verdicts out.
"use strict";

(function (sj) {
  let data = null;

  sj.load = function (id) {
    data = sj.data = JSON.parse(document.getElementById(id).textContent);
    sj.n = data.episodes.id.length;
    sj.metrics = Object.keys(data.report.metrics);
    return data;
  };

  const WORDS = {
    same: "same activity",
    a_in_b: "reference is a step of it",
    b_in_a: "prediction is a step of it",
    part: "one is a step of the other",
    different: "different",
    permissible: "permitted",
    not_same: "not the same",
    undecided: "undecided",
  };
  const TURNED = { a_in_b: "b_in_a", b_in_a: "a_in_b" };

  // What is said of a label pair. `first` is the label that the words call the reference's.
  sj.verdict = function (row, first) {
    const table = data.verdicts;
    const found = row < 0 ? -1 : table.verdict[row];
    if (found < 0) {
      const words = row < 0 ? "not asked" : "unknown";
      return { ...who(row), words, name: words, kind: "unknown", accepted: false, known: false };
    }
    const kind = data.kinds[found];
    const turned = first !== undefined && first !== table.a[row];
    const name = turned ? TURNED[kind.name] || kind.name : kind.name;
    const answer = kind[data.reads || "permissible"];
    return {
      ...who(row),
      name,
      words: WORDS[name],
      kind: answer < 0 ? "unknown" : kind.same === 1 ? "same" : kind.permissible === 1 ? "step" : "different",
      accepted: answer === 1,
      known: answer >= 0,
    };
  };

  function who(row) {
    const table = data.verdicts;
    const string = (column) => (row < 0 || !table[column] ? "" : data.strings[table[column][row]]);
    return {
      row,
      by: string("by"),
      judge: string("judge"),
      prompt: string("prompt"),
      rationale: string("rationale"),
      context: string("context"),
    };
  }

  // One episode, decoded when it is opened: segments by side with their pieces, pairs, the span.
  sj.episode = function (index) {
    const sides = {
      reference: segments("reference", index),
      prediction: segments("prediction", index),
    };
    const pairs = overlaps(index, sides);
    let start = 0;
    let end = data.episodes.duration[index];
    if (data.episodes.origin[index]) end = -1;
    for (const segment of [...sides.reference, ...sides.prediction]) {
      start = Math.min(start, segment.start);
      end = Math.max(end, segment.end);
    }
    end = Math.max(end, start + 1);
    const used = new Set([...sides.reference, ...sides.prediction].map((s) => s.track));
    const tracks = [...used].sort((a, b) => a - b);
    return {
      index,
      id: data.episodes.id[index],
      origin: data.episodes.origin[index],
      sides,
      pairs,
      start,
      end,
      tracks: tracks.length ? tracks : [0],
    };
  };

  function segments(side, index) {
    const table = data.sides[side];
    const list = [];
    for (let i = table.first[index]; i < table.first[index + 1]; i++) {
      list.push({
        side,
        track: table.track[i],
        start: table.start[i],
        end: table.start[i] + table.length[i],
        length: table.length[i],
        label: table.label[i],
        text: data.labels[table.label[i]],
        credit: table.credit[i],
        open: table.open ? table.open[i] : 0,
        pairs: [],
      });
    }
    list.forEach((segment, i) => (segment.index = i));
    return list;
  }

  function overlaps(index, sides) {
    const table = data.pairs;
    const list = [];
    for (let i = table.first[index]; i < table.first[index + 1]; i++) {
      const reference = sides.reference[table.left[i]];
      const prediction = sides.prediction[table.right[i]];
      const start = Math.max(reference.start, prediction.start);
      const end = Math.min(reference.end, prediction.end);
      const union = reference.length + prediction.length - (end - start);
      const said = sj.verdict(table.verdict[i], reference.label);
      const pair = { reference, prediction, start, end, overlap: end - start, iou: (end - start) / union, said };
      reference.pairs.push(pair);
      prediction.pairs.push(pair);
      list.push(pair);
    }
    return list;
  }

  // Pairs of segments that a one-to-one metric matched in an episode.
  sj.matches = function (metric, episode) {
    const table = data.matched[metric];
    const list = [];
    for (let i = table.first[episode.index]; i < table.first[episode.index + 1]; i++) {
      list.push([episode.sides.reference[table.left[i]], episode.sides.prediction[table.right[i]]]);
    }
    return list;
  };

  // Give each segment a lane so that no two in one lane overlap; returns how many lanes.
  sj.lanes = function (list) {
    const ends = [];
    for (const segment of list) {
      let lane = ends.findIndex((end) => end <= segment.start);
      if (lane < 0) lane = ends.push(0) - 1;
      ends[lane] = Math.max(segment.end, segment.start + 1);
      segment.lane = lane;
    }
    return Math.max(ends.length, 1);
  };

  // For the list: which episodes have a label (or id) with some text in it.
  sj.episodesWith = function (text) {
    const wanted = text.trim().toLocaleLowerCase();
    if (!wanted) return null;
    const labels = new Set();
    data.labels.forEach((label, i) => {
      if (label.toLocaleLowerCase().includes(wanted)) labels.add(i);
    });
    const found = new Set();
    data.episodes.id.forEach((id, i) => {
      if (id.toLocaleLowerCase().includes(wanted)) found.add(i);
    });
    for (const side of Object.values(data.sides)) {
      for (let e = 0; e < sj.n; e++) {
        for (let i = side.first[e]; i < side.first[e + 1]; i++) {
          if (labels.has(side.label[i])) {
            found.add(e);
            break;
          }
        }
      }
    }
    return found;
  };

  sj.segmentCount = (side, index) => data.sides[side].first[index + 1] - data.sides[side].first[index];
})((globalThis.segjudge ??= {}));
