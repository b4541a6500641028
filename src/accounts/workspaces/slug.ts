import { Failure } from '../../lib/failure.ts'

const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** 1 to 63 lowercase letters, digits and hyphens, none at the ends; `default` is reserved. */
export function readSlug(text: string): string {
  if (text === 'default') throw bad('slug "default" is reserved.')
  if (!SLUG.test(text)) {
    throw bad('slug must be 1 to 63 lowercase letters, digits or hyphens, no hyphen at the ends.')
  }
  return text
}

/** What a blank slug becomes: the name in lowercase, spaces as hyphens. */
export function slugFrom(name: string): string {
  const slug = name.trim().toLowerCase().replaceAll(/\s+/g, '-')
  if (slug === 'default' || !SLUG.test(slug)) {
    throw bad('slug cannot be made from this name: give one.')
  }
  return slug
}

function bad(message: string): Failure {
  return new Failure('invalid', message, { param: 'slug' })
}
