import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayAfter, dayAt, isDay, isTimeZone, localTime, startOfDay } from '../../src/lib/days.ts'

const DAR = 'Africa/Dar_es_Salaam'

test('a day of Dar es Salaam begins at nine in the evening, universal time', () => {
  assert.equal(startOfDay('2026-11-15', DAR).toISOString(), '2026-11-14T21:00:00.000Z')
  assert.equal(dayAt(new Date('2026-11-14T20:59:59.999Z'), DAR), '2026-11-14')
  assert.equal(dayAt(new Date('2026-11-14T21:00:00.000Z'), DAR), '2026-11-15')
  const written = localTime(new Date('2026-11-14T21:10:00.005Z'), DAR)
  assert.equal(written, '2026-11-15T00:10:00.005+03:00')
})

test('zones with odd offsets, and behind universal time', () => {
  assert.equal(startOfDay('2026-01-01', 'Asia/Kathmandu').toISOString(), '2025-12-31T18:15:00.000Z')
  assert.equal(
    startOfDay('2026-01-01', 'America/New_York').toISOString(),
    '2026-01-01T05:00:00.000Z',
  )
  const written = localTime(new Date('2026-01-01T00:00:00Z'), 'America/St_Johns')
  assert.equal(written, '2025-12-31T20:30:00.000-03:30')
  assert.equal(localTime(new Date(0), 'UTC'), '1970-01-01T00:00:00.000+00:00')
})

test('every day of every zone begins where the day before ends, whatever the clocks do', () => {
  // Cairo and Asunción put their clocks forward at midnight, so that a day begins at one.
  for (const zone of ['Africa/Cairo', 'America/Asuncion', 'Europe/Berlin', 'Pacific/Apia', DAR]) {
    for (let day = '2024-01-01'; day < '2026-01-01'; day = dayAfter(day)) {
      const start = startOfDay(day, zone)
      assert.equal(dayAt(start, zone), day, zone)
      assert.equal(dayAt(new Date(start.getTime() - 1), zone), dayAfter(day, -1), zone)
    }
  }
})

test('what is a day, and what is a zone', () => {
  for (const good of ['2026-02-28', '2024-02-29']) assert.equal(isDay(good), true, good)
  for (const bad of ['2026-02-29', '2026-13-01', '2026-1-1', '', 'x', '2026-01-01T00:00:00Z']) {
    assert.equal(isDay(bad), false, bad)
  }
  for (const good of [DAR, 'UTC', 'Europe/Berlin']) assert.equal(isTimeZone(good), true, good)
  for (const bad of ['+03:00', 'Mars/Olympus', '', '../etc', "x' or 1=1"]) {
    assert.equal(isTimeZone(bad), false, bad)
  }
})
