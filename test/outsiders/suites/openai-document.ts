import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { withService, type Service } from '../service.ts'
import type { Outcome, Suite } from '../suite.ts'
import { CALLS, type Call } from './openai-calls.ts'

const NEEDS = 'OPENAI_OPENAPI_FILE'

/** What we answer in OpenAI's formats, against the schemas of its published document. */
export const openaiDocument: Suite = {
  name: 'openai-document',
  needs: NEEDS,
  async run() {
    const schemaOf = readDocument(process.env[NEEDS]!)
    return withService(async (service) => {
      const outcomes: Outcome[] = []
      for (const call of CALLS) outcomes.push(await check(service, call, schemaOf(call.schema)))
      return outcomes
    })
  },
}

function readDocument(file: string): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats.default(ajv)
  ajv.addFormat('unixtime', true)
  const document = JSON.parse(readFileSync(file, 'utf8'), nullable) as Document
  ajv.addSchema(withItsExamples(document), 'openai')
  return (name) => ajv.getSchema(`openai#/components/schemas/${name}`)!
}

type Schema = { nullable?: boolean; type?: string }
type Document = { components: { schemas: Record<string, Composed> } }
type Composed = { properties: Record<string, Schema>; allOf: Composed[] }

/** `nullable` is OpenAPI 3.0's, in a document of 3.1, where the word means nothing. */
function nullable(_name: string, value: unknown): unknown {
  const { nullable, ...schema } = Object(value) as Schema
  return nullable === true ? orNull(schema) : value
}

const orNull = (schema: Schema) => ({ anyOf: [schema, { type: 'null' }] })

/** That a response may have no `user`, and no `usage` yet, only the document's examples say. */
function withItsExamples(document: Document): Document {
  const { ModelResponseProperties: asked, Response: response } = document.components.schemas
  const own = response!.allOf.find(({ properties }) => properties?.usage !== undefined)!
  Object.assign(asked!.properties, { user: orNull(asked!.properties.user!) })
  Object.assign(own.properties, { usage: orNull(own.properties.usage!) })
  return document
}

async function check(service: Service, call: Call, validate: ValidateFunction): Promise<Outcome> {
  const { name } = call
  try {
    const wrong = (await call.ask(service)).map((answer) => complaint(validate, answer))
    const failure = wrong.find((one) => one !== undefined)
    return failure === undefined ? { name } : { name, failure }
  } catch (error) {
    return { name, failure: String(error) }
  }
}

/** Of a choice among schemas every branch complains: what the most of them want is told. */
function complaint(validate: ValidateFunction, answer: unknown): string | undefined {
  if (validate(answer)) return undefined
  const { type, error } = answer as { type?: string; error?: { message?: string } }
  const wrong = validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
  const told = [...new Set(wrong)].slice(0, 12).join('; ')
  return `${type ?? ''} ${error?.message ?? ''} ${told}`.trim()
}
