import { parseCredits } from '../ledger/money.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { ConfigError, type Config } from '../config.ts'
import type { VoiceSettings } from '../gateway/gateway.ts'
import type { Log } from '../lib/log.ts'

/** The simulator's model for each stage, so that voice works after a bare `npm start`. */
const SIMULATED = {
  sttModel: 'sim/sikia',
  textModel: 'sim/hekima-mini',
  ttsModel: 'sim/sema',
  voice: 'asha',
}

export function voiceSettings(config: Config, simulated: boolean): VoiceSettings {
  const defaults = simulated ? SIMULATED : undefined
  return {
    sttModel: config.VOICE_DEFAULT_STT_MODEL ?? defaults?.sttModel,
    textModel: config.VOICE_DEFAULT_TEXT_MODEL ?? defaults?.textModel,
    ttsModel: config.VOICE_DEFAULT_TTS_MODEL ?? defaults?.ttsModel,
    voice: config.VOICE_DEFAULT_VOICE ?? defaults?.voice,
    language: config.VOICE_DEFAULT_LANGUAGE,
    nominalMicro: parseCredits(config.VOICE_RESERVATION_CREDITS),
  }
}

const MODALITY = {
  VOICE_DEFAULT_STT_MODEL: 'transcription',
  VOICE_DEFAULT_TEXT_MODEL: 'text',
  VOICE_DEFAULT_TTS_MODEL: 'speech',
} as const

/**
 * A default that names no model, or one that cannot do the stage, stops the start. A model that is
 * only unavailable for now does not: the other routes need not wait for it.
 */
export function checkVoiceDefaults(config: Config, catalog: Catalog, log: Log): void {
  if (catalog.index().models.length === 0) {
    log.warn('The default voice models were not checked: no upstream has listed its models yet.')
    return
  }
  const problems = Object.entries(MODALITY).flatMap(([name, modality]) => {
    const id = config[name as keyof typeof MODALITY]
    if (id === undefined) return []
    const model = catalog.find(id)
    if (model === undefined) return [`${name}: there is no model "${id}" in the catalog.`]
    if (!model.outputModalities.includes(modality)) {
      return [`${name}: "${id}" does not produce ${modality}.`]
    }
    if (!model.enabled || model.priced === 'unpriced') {
      log.warn('A default voice model is not available.', { model: id })
    }
    return []
  })
  if (problems.length > 0) throw new ConfigError(problems)
}
