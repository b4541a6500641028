import { invalidField } from '../../lib/failure.ts'
import type { Fields } from '../../lib/fields.ts'
import type { Form } from '../../lib/form.ts'
import type { TranscriptionBody } from './transcribe.ts'

const OURS = new Set(['model', 'language', 'response_format', 'stream', 'file'])

/** A transcription that came as a form: every value is text, lists are named with brackets. */
export function transcriptionFromForm(form: Form): { body: TranscriptionBody; bytes: Buffer } {
  const bytes = fileOf(form)
  const { fields } = form
  return {
    bytes,
    body: {
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
  throw invalidField('file', why)
}

function responseFormat(format: string | undefined): TranscriptionBody['response_format'] {
  if (format === undefined || format === 'json' || format === 'verbose_json') return format
  throw invalidField('response_format', 'must be json or verbose_json')
}

function extraOf(fields: Form['fields']): Fields {
  const extra: Fields = {}
  for (const [name, values] of fields) {
    if (name.endsWith('[]')) extra[name.slice(0, -2)] = values
    else if (!OURS.has(name))
      extra[name] = name === 'temperature' ? temperature(fields) : values.at(-1)
  }
  return extra
}

function temperature(fields: Form['fields']): number {
  const value = Number(one(fields, 'temperature'))
  if (value >= 0 && value <= 2) return value
  throw invalidField('temperature', 'must be a number from 0 to 2')
}

function one(fields: Form['fields'], name: string): string | undefined {
  const values = fields.get(name)
  if (values === undefined || values[0] === '') return undefined
  if (values.length > 1) throw invalidField(name, 'must be sent once')
  return values[0]
}
