import { Select } from '../../../../parts/form/select.tsx'
import { useWords } from '../../../../words/language.tsx'
import { ModelSelect, type ModelChoice } from '../model-choice.tsx'
import type { VoiceSettings, Way } from './calls.ts'
import { voiceWords } from './words.ts'
import { tryWords } from '../words.ts'

type Props = {
  way: Way
  choices: Record<'hearing' | 'text' | 'speech', ModelChoice>
  settings: VoiceSettings
  onChange(next: VoiceSettings): void
}

/** Only the settings that the chosen mode uses. */
export function VoiceSettingsFields({ way, choices, settings, onChange }: Props) {
  const words = useWords(voiceWords)
  const common = useWords(tryWords)
  const languages = Object.entries(words.languages).map(([value, label]) => ({
    value: value as 'sw' | 'en',
    label,
  }))
  const voices = choices.speech.model?.supported_voices ?? []
  return (
    <>
      {way !== 'speak' && <ModelSelect choice={choices.hearing} label={words.hearing} />}
      {way !== 'speak' && (
        <Select
          label={words.language}
          value={settings.language}
          options={languages}
          onChange={(language) => onChange({ ...settings, language })}
        />
      )}
      {way === 'talk' && <ModelSelect choice={choices.text} label={words.text} />}
      {way === 'talk' && (
        <Select
          label={words.reply}
          value={settings.reply}
          options={languages}
          onChange={(reply) => onChange({ ...settings, reply })}
        />
      )}
      {way !== 'hear' && <ModelSelect choice={choices.speech} label={words.speech} />}
      {way !== 'hear' && voices.length > 0 && (
        <Select
          label={words.voice}
          value={settings.voice}
          options={[
            { value: '', label: common.modelChooses },
            ...voices.map((voice) => ({ value: voice, label: voice })),
          ]}
          onChange={(voice) => onChange({ ...settings, voice })}
        />
      )}
    </>
  )
}
