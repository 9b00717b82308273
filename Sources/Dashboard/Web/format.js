// Dates and numbers as the reader's locale writes them.

const dateAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
// Words such as "ago" are of the language of the page.
const relative = new Intl.RelativeTimeFormat(document.documentElement.lang, { numeric: "auto" });
const plain = new Intl.NumberFormat();
/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const steps = [
  ["year", 31536000],
  ["month", 2592000],
  ["week", 604800],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** "23 Nov 2026, 21:24", of a time such as "2026-11-23T21:24:00Z". */
export const fullTime = (text) => dateAndTime.format(new Date(text));
export const day = (text) => date.format(new Date(text));

/** "3 hours ago", "in 12 days". */
export function fromNow(text, now = Date.now()) {
  const seconds = (Date.parse(text) - now) / 1000;
  const step = steps.find(([, length]) => Math.abs(seconds) >= length);
  return step
    ? relative.format(Math.trunc(seconds / step[1]), step[0])
    : seconds > 0
    ? relative.format(0, "second")
    : "just now";
}

export const capital = (text) => text.replace(/^./, (first) => first.toUpperCase());
export const count = (number) => plain.format(number);

/** "268 bytes", "12.3 KB". */
export function size(bytes) {
  const isSmall = bytes < 1024;
  const format = new Intl.NumberFormat(
    undefined,
    isSmall
      ? { style: "unit", unit: "byte", unitDisplay: "long" }
      : { style: "unit", unit: "kilobyte", maximumFractionDigits: 1 },
  );
  return format.format(isSmall ? bytes : bytes / 1024);
}
