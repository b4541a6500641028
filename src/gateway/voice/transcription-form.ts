import { invalidField } from '../../lib/failure.ts'
import type { Fields } from '../../lib/json.ts'
import { formField, type Form } from '../../lib/form.ts'
import type { TranscriptionBody } from './transcribe.ts'

const OURS = new Set(['model', 'language', 'response_format', 'stream', 'file'])

/** Values are text; names of lists end in brackets. */
export function transcriptionFromForm(form: Form): { body: TranscriptionBody; bytes: Buffer } {
  const bytes = fileOf(form)
  return {
    bytes,
    body: {
      model: formField(form, 'model'),
      language: formField(form, 'language'),
      response_format: responseFormat(formField(form, 'response_format')),
      stream: formField(form, 'stream') === 'true',
      extra: extraOf(form),
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

function extraOf(form: Form): Fields {
  const extra: Fields = {}
  for (const [name, values] of form.fields) {
    if (name.endsWith('[]')) extra[name.slice(0, -2)] = values
    else if (!OURS.has(name))
      extra[name] = name === 'temperature' ? temperature(form) : values.at(-1)
  }
  return extra
}

function temperature(form: Form): number {
  const value = Number(formField(form, 'temperature'))
  if (value >= 0 && value <= 2) return value
  throw invalidField('temperature', 'must be a number from 0 to 2')
}
