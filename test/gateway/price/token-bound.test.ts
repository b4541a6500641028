import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { measureJson } from '../../../src/gateway/price/prompt-size.ts'
import { mostJsonTokens, mostTokens } from '../../../src/gateway/price/token-bound.ts'

/**
 * Counted once by real tokenizers: the most of o200k, cl100k and Llama 3, with vocabularies of 100,000
 * to 200,000, and the most of Llama 2 and Mistral, with 32,000.
 */
const SAMPLES: [what: string, text: string, large: number, small: number][] = [
  [
    'English prose',
    'The committee met on Tuesday to discuss the proposed changes to the water supply in the northern districts, although several members worried about the cost.',
    27,
    30,
  ],
  [
    'Kiswahili prose',
    'Serikali imetangaza kuwa mradi wa maji katika wilaya za kaskazini utakamilika kabla ya msimu wa mvua, ingawa wananchi wana wasiwasi kuhusu gharama.',
    53,
    62,
  ],
  [
    'French prose',
    "Le comité s'est réuni mardi pour discuter des modifications proposées à l'approvisionnement en eau des districts du nord.",
    30,
    31,
  ],
  [
    'code',
    'for (let i = 0; i < items.length; i++) {\n    if (items[i] === undefined) continue\n    await settle(items[i], { amount: 10_000n })\n}\n',
    43,
    54,
  ],
  [
    'JSON',
    '{"id":42,"name":"Customer 42","email":"c42@example.com","active":true,"balance":1234.56,"tags":["a","b"]}',
    36,
    46,
  ],
  [
    'digits',
    '525965890921903006987064280810778887031632738524542863753520554240721866924366216027743522825086418224730419255879224375',
    40,
    120,
  ],
  [
    'random letters',
    'yunxkpxmitxwegibdrvgohepqxxgrdviiscvjhpmoylzbpqeptpbxmlvtexicfbttpakvlefeppirdwczdgcrlrabadmbzidfimnzspehutmcstbcifgqowo',
    60,
    68,
  ],
  [
    'random letters of both cases',
    'SAgHABOZGJTrVzTXWTCbKeFbXaSRcwfAcrkwOOWsQCAgDBeoaiqpBZBEVWWDMehyWHbjNOLPvclIJxGmpaTWfurOTfkfJqAZmJZYHJERHCPAfoZSZIhIoZGk',
    83,
    92,
  ],
  [
    'rare letters',
    'wjxkqqzvkqvvjxjzxvzqqkjkwwxwxjzvqqjxwvvqvjxqvqvkvjqxqqqqjqjqwxzqwkqjkxxwwjkvkvvzkxzwwzxzjvzvwvwvjqwzzqxkwvvkxwjzqxjzvwzq',
    78,
    98,
  ],
  [
    'pairs of rare letters',
    'zq zq xk xx vx vw wk zv vv vk qq qz xw zw wz vx zw kj vj zz zw qz kq wk kz qv jq jx xk wz xx qv vv zj qj jz qk zx zj zx',
    58,
    77,
  ],
  [
    'threes of letters',
    'ijt wrl iyc eto rag riu pvg nix vry jql bea ktr iyu ugj pqa tkh ohd bil jec mdi kjk rkg syu fok wqu aeb cmq uuj nmp bfb dtm urn gbt hjf mkr jka ale onk sqk vnd',
    75,
    81,
  ],
  [
    'fives of letters',
    'pgoxn jqpkn pdwbw wksxm jaclv qxyxp yfydv vowtf jvqky qderl euhcu scihx ghcce rsjpw mudbb ibyxf giuxq cktnf fyvww xehtj avupn tsvsg cesxj dxmep',
    70,
    80,
  ],
  [
    'fives of vowels',
    'ioeii aaooa eaeaa oeuao eiuie eouau auioo iouao aoioi eaioe aooiu uuiie ieoie uiiii oueoe oouii eiuee uoaei ouaui eieeu iiaio uoiai ouaoa eeuii',
    74,
    79,
  ],
  [
    'single letters',
    't e c n y h h i s q r l d d e e j o b a b d w e w a j a d f t z o d r n t z i m s w u d q t v u u k y q q y n w c l c n',
    60,
    60,
  ],
  [
    'base64',
    'enN3cmhuaXVvcHJndmpybXFvYnpnem1ieGdha3prdW5mZndmZGF0eG5ibW5mbW9kY3J4eWNpYW15b2lia3p5eGFwbmZqZXJib29rdXRqeXRua25memd4Y2ds',
    82,
    94,
  ],
  [
    'hexadecimal',
    '626e746862666c71686c67776c666175696d68767a6b6a72766d64666e707466756962726f736a6570696b6969796d6d6e6c7378666362636e686469',
    59,
    120,
  ],
  [
    'signs',
    '!%<,*&#][=+*:](>*+:+,,!,>(_?$|..%~=]^,/#<<#)!],<&=--~![.~&.-,_<!;@,}&/~~><%&.,=*,{}{@:}&!,<-[&||*/}})((~?~_*!-?+[|;*+%:[',
    76,
    89,
  ],
  [
    'spaces',
    '                                                                                                                        ',
    2,
    8,
  ],
  [
    'line breaks',
    '\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n\n',
    8,
    120,
  ],
  [
    'mixed white space',
    '\t  \r \r \t\t\n\n\r\r\t  \r\r\n \r\t\r\n\n\r\n\r\n \t\r\t\t\t\n\r\n\n \t \n\n\t\n\n\n \t\n \t\r\n \t\n\n \t\r \r\r\n\t \n\n\r\n  \r\n\n\n\n\r\r\n\r\r\r\r\n\r\t\r\t\r\n\t\t \r\t\t\r   \n\t\r\r\n\n\t\t\n \r\r\r\n\r \r',
    57,
    109,
  ],
  ['emoji', '😀🔥👩‍👩‍👧🇹🇿😀🔥👩‍👩‍👧🇹🇿😀🔥👩‍👩‍👧🇹🇿😀🔥👩‍👩‍👧🇹🇿', 96, 120],
  ['Amharic', 'ሰላም እንዴት ነህ ዛሬ ጥሩ ቀን ነው', 51, 57],
  ['Chinese', '委员会在星期二开会讨论供水问题，有人担心费用', 24, 34],
  ['Arabic', 'اجتمعت اللجنة يوم الثلاثاء لمناقشة إمدادات المياه', 36, 43],
  ['hieroglyphs', '𓊽𓇺𓊓𓆨𓁛𓍣𓏟𓁰𓉱𓀣𓇛𓍝𓂟𓄿𓀘𓂭𓌠𓌧𓃱𓎥𓇀𓍸𓉪𓄬𓈫𓋚𓈴𓌐𓀣𓆯', 120, 120],
]

for (const [what, text, large, small] of SAMPLES) {
  test(`no fewer tokens than a tokenizer makes: ${what}`, () => {
    const bound = Math.ceil(mostTokens(text))
    assert.ok(bound >= large, `${bound} for ${large}`)
    // The smallest vocabularies take a little more for some pairs of rare letters.
    assert.ok(bound * 1.05 >= small, `${bound} for ${small}`)
  })
}

test('prose is far from a token for each byte', () => {
  for (const [what, text] of SAMPLES.filter(([name]) => name.endsWith('prose'))) {
    assert.ok(mostTokens(text) < Buffer.byteLength(text) * 0.7, what)
  }
})

test('never more than a token for each byte, and no less for text in pieces', () => {
  const property = fc.property(fc.string({ unit: 'binary' }), fc.nat(), (text, where) => {
    const at = text.length === 0 ? 0 : where % text.length
    const whole = mostTokens(text)
    assert.ok(whole <= Buffer.byteLength(text) + 2 * (text.length - text.toWellFormed().length + 1))
    assert.ok(mostTokens(text.slice(0, at)) + mostTokens(text.slice(at)) >= whole - 1)
  })
  fc.assert(property)
})

test('a value is no more than its JSON has bytes, whatever is in it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const { bytes } = measureJson(value)
      assert.ok(mostJsonTokens(value, Infinity) <= bytes + 1)
    }),
  )
})

test('counting stops where it no longer matters', () => {
  const long = 'q'.repeat(100_000)
  assert.ok(mostTokens(long, 10) < 5_000)
  assert.equal(mostJsonTokens({ a: long, b: [long, { [long]: long }] }, 50), 50)
})
