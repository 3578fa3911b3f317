// From the path of a pointer over a text to fixations: for how long it rested on which word, and where.

/** Shortest rest that is told, ms: shorter ones are passed by. */
const SHORTEST = 25;

/** Where the words of a text begin and end. */
export function wordsOf(text) {
  return [...text.matchAll(/\S+/g)].map((found) => ({
    word: found[0],
    start: found.index,
    end: found.index + found[0].length,
  }));
}

/** Follows a pointer: `at` is told where it is and how much time went by, `x` in characters, or null off the text. */
export class Follower {
  constructor(text) {
    this.text = text;
    this.words = wordsOf(text);
    this.fixations = [];
    this.rest = null;
    this.isLost = false;
  }

  at(x, ms) {
    const place = x === null ? -1 : this.words.findLastIndex((word) => x >= word.start - 1);
    const isOn = place >= 0 && x < this.words[place].end + 1;
    if (!isOn) {
      this.done();
      this.isLost = this.fixations.length > 0;
      return;
    }
    if (this.rest?.place !== place) {
      this.done();
      this.rest = { place, ms: 0, sum: 0 };
    }
    this.rest.ms += ms;
    this.rest.sum += x * ms;
  }

  done() {
    const { rest } = this;
    this.rest = null;
    if (!rest || rest.ms < SHORTEST) return;
    this.fixations.push({
      x_char: Math.round((rest.sum / rest.ms) * 100) / 100,
      duration_ms: Math.round(rest.ms),
      gap: this.isLost,
    });
    this.isLost = false;
  }
}
