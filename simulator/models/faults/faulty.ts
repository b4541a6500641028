import { COMMON_FAULTS, FAULTS } from './faults.ts'
import type { SimulatedModel } from '../shelf.ts'
import { SHELF } from '../shelf.ts'

/** One model per fault: text for all of them, the other modalities for those that suit them. */
export function faultyModels(): SimulatedModel[] {
  const names = Object.keys(FAULTS)
  const ofVideos = names.filter((name) => name.startsWith('video-'))
  const ofSpeech = names.filter((name) => name.startsWith('audio-'))
  return [
    ...names
      .filter((name) => !/^(?:video|audio)-/.test(name) && name !== 'bad-vectors')
      .map((fault) => twin('sim/hekima', `sim/fault-${fault}`)),
    ...[...COMMON_FAULTS, 'bad-vectors'].map((fault) =>
      twin('sim/vekta', `sim/embeddings-fault-${fault}`),
    ),
    ...COMMON_FAULTS.map((fault) => twin('sim/picha', `sim/image-fault-${fault}`)),
    ...COMMON_FAULTS.map((fault) => twin('sim/sikia', `sim/transcription-fault-${fault}`)),
    ...[...ofSpeech, ...COMMON_FAULTS].map((fault) =>
      twin('sim/sema', `sim/speech-fault-${fault}`),
    ),
    ...[...ofVideos, ...COMMON_FAULTS].map((fault) =>
      twin('sim/filamu', `sim/video-fault-${fault}`),
    ),
  ]
}

/** A request may name any fault, listed or not: the id's first word tells the modality. */
export function faultyModel(id: string): SimulatedModel {
  const kind = /\/([a-z]+)-fault-/.exec(id)?.[1]
  const likeness = SHELF.find((model) => model.kind === kind) ?? SHELF[0]!
  return { ...likeness, id }
}

function twin(like: string, id: string): SimulatedModel {
  const model = SHELF.find((each) => each.id === like)!
  return { ...model, id, name: `Sim: ${id.slice(4)}` }
}
