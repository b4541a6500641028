import { Failure } from '../../lib/failure.ts'
import type { Form } from '../../lib/form.ts'
import type { TranscriptionAsk } from './transcribe.ts'
import type { Fields } from '../../lib/fields.ts'

const OURS = new Set(['model', 'language', 'response_format', 'stream', 'file'])

/** A transcription that came as a form: every value is text, lists are named with brackets. */
export function askFromForm(form: Form): { ask: TranscriptionAsk; bytes: Buffer } {
  const bytes = fileOf(form)
  const { fields } = form
  return {
    bytes,
    ask: {
      model: one(fields, 'model'),
      language: one(fields, 'language'),
      response_format: responseFormat(one(fields, 'response_format')),
      stream: one(fields, 'stream') === 'true',
      extra: extraOf(fields),
    },
  }
}

function fileOf({ file, fields }: Form): Buffer {
  if (file?.name === 'file') return file.bytes
  const why = fields.has('file') ? 'must be an uploaded file, not a text field' : 'is required'
  throw wrong('file', why)
}

function responseFormat(given: string | undefined): TranscriptionAsk['response_format'] {
  if (given === undefined || given === 'json' || given === 'verbose_json') return given
  throw wrong('response_format', 'must be json or verbose_json')
}

function extraOf(fields: Form['fields']): Fields {
  const extra: Fields = {}
  for (const [name, values] of fields) {
    if (name.endsWith('[]')) extra[name.slice(0, -2)] = values
    else if (!OURS.has(name)) extra[name] = name === 'temperature' ? number(fields) : values.at(-1)
  }
  return extra
}

function number(fields: Form['fields']): number {
  const value = Number(one(fields, 'temperature'))
  if (value >= 0 && value <= 2) return value
  throw wrong('temperature', 'must be a number from 0 to 2')
}

function one(fields: Form['fields'], name: string): string | undefined {
  const values = fields.get(name)
  if (values === undefined || values[0] === '') return undefined
  if (values.length > 1) throw wrong(name, 'must be given once')
  return values[0]
}

function wrong(field: string, why: string): Failure {
  return new Failure('invalid', `${field} ${why}.`, { param: field })
}
