export type ProgressLine = {
  show(done: number, total: number): void
  /** Leaves the last state on the screen. */
  end(): void
}

/** One line that a terminal draws again and again; elsewhere, a line every ten seconds. */
export function progressLine(
  label: string,
  output: { isTTY?: boolean; write(text: string): unknown },
  words: (done: number, total: number) => string = inMegabytes,
): ProgressLine {
  const everyMs = output.isTTY ? 200 : 10_000
  let shownAt = output.isTTY ? 0 : performance.now()
  let last = ''
  const draw = () => output.write(output.isTTY ? `\r${last}` : `${last}\n`)
  return {
    show(done, total) {
      last = `${label}: ${words(done, total)}`
      if (performance.now() - shownAt < everyMs) return
      shownAt = performance.now()
      draw()
    },
    end() {
      if (output.isTTY && last !== '') {
        draw()
        output.write('\n')
      }
    },
  }
}

function inMegabytes(done: number, total: number): string {
  return `${megabytes(done)} of ${megabytes(total)} MB`
}

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
