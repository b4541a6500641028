export type ProgressLine = {
  show(doneBytes: number, totalBytes: number): void
  /** Leaves the last state on the screen. */
  end(): void
}

/** One line that a terminal draws again and again; elsewhere, a line every ten seconds. */
export function progressLine(
  label: string,
  output: { isTTY?: boolean; write(text: string): unknown },
): ProgressLine {
  const everyMs = output.isTTY ? 200 : 10_000
  let shownAt = output.isTTY ? 0 : performance.now()
  let last = ''
  const draw = () => output.write(output.isTTY ? `\r${last}` : `${last}\n`)
  return {
    show(doneBytes, totalBytes) {
      last = `${label}: ${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`
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

function megabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1)
}
