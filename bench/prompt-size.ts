import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { EMPTY_PROMPT, promptTokens } from '../src/gateway/price/prompt-size.ts'
import type { Bench, Row } from './row.ts'

/** Tokens as we estimate them against two real tokenizers, on texts of many kinds. */
export const promptSize: Bench = {
  name: 'prompt-size',
  run: async () => Object.entries(SAMPLES).flatMap(([what, text]) => compare(what, text)),
}

type Tokenizer = { encode(text: string): number[] }
type Encodings = { getEncoding(name: 'o200k_base' | 'cl100k_base'): Tokenizer }

// It comes with a client library that the tests use; the service itself never loads a tokenizer.
const { getEncoding } = createRequire(import.meta.resolve('@langchain/openai'))(
  'js-tiktoken',
) as Encodings
const newer = getEncoding('o200k_base')
const older = getEncoding('cl100k_base')
const FRAMING = promptTokens(EMPTY_PROMPT)

function compare(what: string, text: string): Row[] {
  const textBytes = Buffer.byteLength(text)
  const estimate = promptTokens({ ...EMPTY_PROMPT, textBytes }) - FRAMING
  const [young, old] = [newer.encode(text).length, older.encode(text).length]
  const row = (name: string, tokens: number) => ({
    what: `${what}, ${name}`,
    value: textBytes / tokens,
    unit: 'bytes a token; estimated',
    ratio: { of: 'the real count', value: estimate / tokens },
  })
  return [row('o200k', young), row('cl100k', old)]
}

const root = join(import.meta.dirname, '..')

/** Prose is Articles 1 and 2 of the Universal Declaration of Human Rights in each language. */
const SAMPLES: Record<string, string> = {
  'English prose':
    'All human beings are born free and equal in dignity and rights. They are endowed with reason ' +
    'and conscience and should act towards one another in a spirit of brotherhood. Everyone is ' +
    'entitled to all the rights and freedoms set forth in this Declaration, without distinction of ' +
    'any kind, such as race, colour, sex, language, religion, political or other opinion, national ' +
    'or social origin, property, birth or other status.',
  'Kiswahili prose':
    'Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili na dhamiri, hivyo ' +
    'yapasa watendeane kindugu. Kila mtu anastahili kuwa na haki zote na uhuru wote ambao umeelezwa ' +
    'katika taarifa hii bila ubaguzi wa rangi, taifa, wanaume kwa wanawake, dini, siasa, fikara, ' +
    'asili ya taifa la mtu, miliki, kwa kuzaliwa au kwa hali nyingine yoyote.',
  'French prose':
    'Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont doués de ' +
    'raison et de conscience et doivent agir les uns envers les autres dans un esprit de fraternité.',
  'Arabic prose':
    'يولد جميع الناس أحراراً متساوين في الكرامة والحقوق. وقد وهبوا عقلاً وضميراً وعليهم أن يعامل ' +
    'بعضهم بعضاً بروح الإخاء. لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان.',
  'Chinese prose':
    '人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。' +
    '人人有资格享受本宣言所载的一切权利和自由，不分种族、肤色、性别、语言、宗教、政治或其他见解。',
  'Hindi prose':
    'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और ' +
    'अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।',
  'TypeScript code': readFileSync(join(root, 'src/gateway/bill/billable.ts'), 'utf8'),
  'JSON, indented': readFileSync(join(root, 'package.json'), 'utf8'),
  'JSON, dense': JSON.stringify(
    Array.from({ length: 40 }, (_, i) => ({ id: i * 7919, lat: -6.8 + i / 997, ok: i % 2 === 0 })),
  ),
  digits: Array.from({ length: 200 }, (_, i) => String((i * 2654435761) % 1e9)).join(' '),
  hexadecimal: readFileSync(join(root, 'package-lock.json')).subarray(0, 600).toString('hex'),
  emoji: '😀🎉👩‍👩‍👧‍👦🇹🇿🦒🌍🥭❤️‍🔥👍🏾'.repeat(10),
  'one letter, again and again': 'a'.repeat(2_000),
  'one word, again and again': 'habari '.repeat(300),
}
