import { useWords } from '../../../words/language.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { showPasskey } from './passkey.ts'
import { passkeyWords } from './passkey-words.ts'

/** For this session; above another way, if there is one. Fetched only for those who have a passkey. */
export default function PasskeyProof({ or, onShown }: { or: boolean; onShown(): void }) {
  const words = useWords(passkeyWords)
  return (
    <>
      <PasskeyButton show={showPasskey} onShown={onShown} />
      {or && <p className="text-sm text-soft">{words.or}</p>}
    </>
  )
}
