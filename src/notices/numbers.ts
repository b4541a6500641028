/** 12000 → `12,000`; both languages group and point alike. At most two decimals: it is prose. */
export function amount(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
}

/** Foreign text inside a sentence: one line, of bounded length. */
export function quoted(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').slice(0, 80)
}
