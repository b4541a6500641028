import type { Schema } from './openapi-document.ts'

const DEEPEST = 5

/** The fields of a schema as rows, nested ones by their path: `choices[].message`. */
export function fieldTable(schema: Schema, schemas: Record<string, Schema>): string {
  const rows = rowsOf(schema, { path: '', depth: 0, schemas })
  if (rows.length === 0) return `<p>${escape(typeOf(resolve(schema, schemas)))}</p>`
  return (
    '<div class="scroll"><table><thead><tr><th scope="col">Field</th><th scope="col">Type</th>' +
    `<th scope="col">Notes</th></tr></thead><tbody>${rows.join('')}</tbody></table></div>`
  )
}

type Place = { path: string; depth: number; schemas: Record<string, Schema> }

function rowsOf(unresolved: Schema, place: Place): string[] {
  const schema = resolve(unresolved, place.schemas)
  if (place.depth > DEEPEST) return []
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return choices.flatMap((choice) => rowsOf(choice, place))
  if (schema.items !== undefined) {
    return rowsOf(schema.items, { ...place, path: `${place.path}[]`, depth: place.depth + 1 })
  }
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const path = place.path === '' ? name : `${place.path}.${name}`
    const must = schema.required?.includes(name) === true
    return [
      row(path, resolve(property, place.schemas), must),
      ...rowsOf(property, { ...place, path, depth: place.depth + 1 }),
    ]
  })
}

function row(path: string, schema: Schema, required: boolean): string {
  const about = [required ? 'required' : '', schema.description ?? ''].filter((part) => part !== '')
  return (
    `<tr><td><code>${escape(path)}</code></td><td>${escape(typeOf(schema))}</td>` +
    `<td>${escape(about.join('; '))}</td></tr>`
  )
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) {
    return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  }
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' | ')
  if (schema.$ref !== undefined) return 'object'
  const type = [schema.type ?? 'any'].flat().join(' | ')
  return schema.format === undefined ? type : `${type} (${schema.format})`
}

function resolve(schema: Schema, schemas: Record<string, Schema>): Schema {
  if (schema.$ref === undefined) return schema
  return schemas[schema.$ref.split('/').at(-1)!] ?? {}
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (mark) => ENTITIES[mark]!)
}
