import { renameSync, writeFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'

/**
 * Loaded into a service process before the service itself (`--import`): measures how long single
 * turns of its event loop work, and may set its clock wrong, at once or later. A turn is measured in
 * the thread's own processor time, so that a busy machine is not mistaken for a busy loop.
 */
// The process becomes another one with these options before it serves; the file is for that one.
const serves = process.execArgv.includes('--v8-pool-size=1')
const file = serves ? process.env.TORTURE_PROBE_FILE : undefined
// A child of the service, such as the one that builds the console, has a loop of its own.
if (serves) delete process.env.TORTURE_PROBE_FILE
const clockOffMs = Number(process.env.TORTURE_CLOCK_OFF_MS ?? 0)
const clockAfterMs = Number(process.env.TORTURE_CLOCK_AFTER_MS ?? 0)
const TICK_MS = 20
let clockJumps = 0

if (clockOffMs !== 0) shiftClock(clockOffMs, clockAfterMs)
if (file !== undefined) measure(file)

function measure(file: string): void {
  let before = busyMs()
  let longestMs = 0
  let atS = 0
  // The start itself compiles for longer than any call may work: it is not counted.
  process.on('SIGUSR2', () => {
    before = busyMs()
    longestMs = 0
  })
  setInterval(() => {
    const now = busyMs()
    if (now - before > longestMs) {
      longestMs = now - before
      atS = process.uptime()
    }
    before = now
  }, TICK_MS).unref()
  const delay = monitorEventLoopDelay({ resolution: TICK_MS })
  delay.enable()
  setInterval(() => {
    const { rss, heapUsed } = process.memoryUsage()
    const p99Ms = delay.percentile(99) / 1e6
    const turns = { longestTurnMs: longestMs, longestAtS: atS, delayP99Ms: p99Ms }
    const figures = { ...turns, rss, heapUsed, clockJumps }
    writeFileSync(`${file}.new`, JSON.stringify(figures))
    renameSync(`${file}.new`, file)
  }, 500).unref()
}

function busyMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function shiftClock(wrongByMs: number, afterMs: number): void {
  const RealDate = Date
  let byMs = wrongByMs
  if (afterMs > 0) {
    byMs = 0
    // Counted from when it serves (SIGUSR2), not from when the process started.
    process.on('SIGUSR2', () => {
      setTimeout(() => {
        byMs = wrongByMs
        clockJumps += 1
      }, afterMs).unref()
    })
  }
  globalThis.Date = class extends RealDate {
    constructor(...args: unknown[]) {
      if (args.length === 0) super(RealDate.now() + byMs)
      else super(...(args as [number]))
    }
    static override now(): number {
      return RealDate.now() + byMs
    }
  } as DateConstructor
}
