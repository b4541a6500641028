import { invalidField } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'
import { fieldPixels, resolutionPixels } from '../../upstream/prices/media-price.ts'

/**
 * Upstreams differ in which of two fields they follow, so contradicting ones would be priced by one
 * and made by the other.
 */
export function checkContradictions(body: Fields): void {
  const { duration, seconds, resolution, size } = body
  if (isGiven(duration) && isGiven(seconds) && Number(duration) !== Number(seconds)) {
    throw invalidField('seconds', 'does not agree with duration: send one of them')
  }
  if (isGiven(resolution) && isGiven(size) && !sameHeight(resolution, size)) {
    throw invalidField('size', 'does not agree with resolution: send one of them')
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** 1080p is 1,080 lines in portrait or landscape. */
function sameHeight(resolution: unknown, size: unknown): boolean {
  const [named, exact] = [resolutionPixels(resolution), fieldPixels(size)]
  if (named === undefined || exact === undefined) {
    return String(resolution).toLowerCase() === String(size).toLowerCase()
  }
  return Math.min(...named) === Math.min(...exact)
}
