import { Sample } from '../../parts/sample.tsx'
import { ButtonLink } from '../../parts/button.tsx'
import { useWords, words } from '../../words/language.tsx'
import { Guide, GuideStep } from './guide.tsx'
import { useSampleFacts } from './sample-models.ts'
import { guideWords } from './words.ts'

const chargeWords = words({
  sw: {
    steps: 'Hatua tatu',
    stepsSay: `1. **Kushikilia.** Kabla ya kazi, makadirio ya gharama yanashikiliwa kwenye salio. Yasipotosha: 402, na hakuna kilichotumwa.
2. **Kazi.** Modeli inafanya kazi.
3. **Kutoza.** Unatozwa kilichotumika kweli; kilichobaki kinarudi papo hapo. Likishindikana, kinarudi chote.`,
    free: 'Usichotozwa',
    freeSay: `- Ombi lililoshindikana, lililokatika, au uliloliacha kabla halijakamilika (hadi kiwango cha siku: ona mwongozo wa mtiririko).
- Video iliyoshindikana, kusitishwa au kuisha muda.
- Mazungumzo ya sauti ambayo hatua yake moja imeshindikana.
- Modeli za bure.

Gharama haizidi salio lako kamwe. Salio likiisha katikati ya jibu, jibu linaishia hapo kwa \`finish_reason: "length"\`.`,
    units: 'Vipimo',
    unitsSay: `| Kazi | Kipimo |
|---|---|
| Mazungumzo, kusoma faili | tokeni unazotuma na unazopokea |
| Vekta | tokeni unazotuma |
| Sauti kuwa maandishi | sekunde |
| Maandishi kuwa sauti | herufi |
| Picha | picha |
| Video | sekunde |

Tokeni ni kipande cha neno: neno moja la Kiswahili ni tokeni 2 hivi.`,
    see: 'Ona gharama',
    seeSay:
      'Jibu lisilo la mtiririko lina vichwa `X-Credits-Charged` na `X-Credits-Remaining`. Kila ombi lipo kwenye **Matumizi**, na kila shilingi kwenye **Malipo**. Salio kwa programu:',
  },
  en: {
    steps: 'Three steps',
    stepsSay: `1. **Reserve.** Before the work, an estimate of its cost is reserved from your balance. If it is not there: 402, and nothing was sent.
2. **Work.** The model does its work.
3. **Charge.** You are charged what was really used; the rest comes back at once. If it fails, all of it comes back.`,
    free: 'What is not charged',
    freeSay: `- A call that failed, broke off, or that you left before it was complete (up to a daily allowance: see the guide on streaming).
- A video that failed, was cancelled or expired.
- A spoken conversation of which one stage failed.
- Free models.

A charge never exceeds your balance. If the balance ends in the middle of an answer, the answer ends there with \`finish_reason: "length"\`.`,
    units: 'Units',
    unitsSay: `| Work | Unit |
|---|---|
| Chat, reading files | tokens sent and received |
| Embeddings | tokens sent |
| Speech to text | seconds |
| Text to speech | characters |
| Pictures | pictures |
| Video | seconds |

A token is a piece of a word: a word of Kiswahili is about 2 tokens.`,
    see: 'See what it cost',
    seeSay:
      'An answer that is not a stream has the headers `X-Credits-Charged` and `X-Credits-Remaining`. Every call is in **Activity**, and every shilling in **Billing**. The balance for programs:',
  },
})

export default function Page() {
  const words = useWords(chargeWords)
  const common = useWords(guideWords)
  const { origin } = useSampleFacts()
  const balance = `curl ${origin}/v1/billing/balance \\
  -H "Authorization: Bearer $MLANGO_KEY"`
  return (
    <Guide name="charges">
      <GuideStep title={words.steps} text={words.stepsSay} />
      <GuideStep title={words.free} text={words.freeSay} />
      <GuideStep title={words.units} text={words.unitsSay}>
        <div>
          <ButtonLink to="/models" kind="plain" size="small">
            {common.models}
          </ButtonLink>
        </div>
      </GuideStep>
      <GuideStep title={words.see} text={words.seeSay}>
        <Sample label={words.see} tabs={[{ name: 'curl', code: balance }]} />
      </GuideStep>
    </Guide>
  )
}
