import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { Client } from 'pg'
import { assertAgreement } from '../../support/money/agreement.ts'
import { freshDatabase } from '../../support/databases.ts'
import { startApp } from '../../support/app.ts'
import { watch } from '../../support/money/paid.ts'
import {
  finish,
  piece,
  scriptedModel,
  usage,
  type ScriptedStream,
} from '../../support/models/scripted-model.ts'
import { readStream, watchLeaving } from '../../support/stream-reader.ts'
import { eventually } from '../../support/eventually.ts'

/* No reader sees the end of an answer that is not paid for, and an answer that is complete is paid. */

type App = Awaited<ReturnType<typeof startApp>>

/** How each provider says the same: some text, the reason to finish, more text, the end. */
type Dialect = {
  text(words: string): object
  finish: object
  end(stream: ScriptedStream): void
}
const anthropicText = (text: string) => ({
  type: 'content_block_delta',
  delta: { type: 'text_delta', text },
})
const MESSAGE_START = { type: 'message_start', message: { id: 'm', usage: { input_tokens: 3 } } }
const OPENAI: Dialect = {
  text: piece,
  finish: finish(),
  end(stream) {
    stream.send(usage(7))
    stream.done()
  },
}
const DIALECTS: Record<string, Dialect> = {
  openai: OPENAI,
  openrouter: OPENAI,
  anthropic: {
    text: anthropicText,
    finish: {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 7 },
    },
    end: (stream) => {
      stream.send({ type: 'message_stop' })
      stream.end()
    },
  },
  gemini: {
    text: (text) => ({ candidates: [{ index: 0, content: { parts: [{ text }] } }] }),
    finish: {
      candidates: [{ index: 0, content: { parts: [] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 7, totalTokenCount: 10 },
    },
    end: (stream) => stream.end(),
  },
}

for (const [type, dialect] of Object.entries(DIALECTS))
  describe(type, () => {
    const { text, finish: finishEvent, end } = dialect
    let app: App
    let model: Awaited<ReturnType<typeof scriptedModel>>
    let asha: Awaited<ReturnType<App['customer']>>
    /** Holds the account's money, so that nothing can be settled. */
    let lock: Client
    let leaving: ReturnType<typeof watchLeaving>

    before(async () => {
      model = await scriptedModel()
      const databaseUrl = await freshDatabase()
      app = await startApp({ databaseUrl, upstream: model.entry(type) })
      asha = await app.customer('100')
      leaving = watchLeaving(app.rooms.server.http)
      lock = new Client({ connectionString: databaseUrl })
      await lock.connect()
    })
    after(async () => {
      await lock.end()
      await app.close()
      await model.close()
    })
    afterEach(() => assertAgreement(app.db))

    const open = async () => {
      const reading = readStream(app.url, asha.key)
      const stream = await model.next()
      if (type === 'anthropic') stream.send(MESSAGE_START)
      stream.send(text('Jibu'))
      const reader = await reading
      await reader.until('Jibu')
      return { stream, reader }
    }

    test('text flows at once, the finish only when it is charged', async () => {
      const { stream, reader } = await open()
      await lock.query('begin')
      try {
        await lock.query(LOCK, [asha.accountId])
        stream.send(finishEvent)
        stream.send(text(' na baada'))
        await reader.until('baada')
        end(stream)
        await waitsForLock(lock)
        assert.doesNotMatch(reader.text, /"finish_reason":"|DONE/)
      } finally {
        await lock.query('commit')
      }
      assert.match(await reader.whole(), /"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/)
    })

    test('a reader who leaves when the upstream has finished pays', async () => {
      const { records } = await watch(app, asha.accountId).during(async () => {
        const { stream, reader } = await open()
        stream.send(finishEvent)
        stream.send(text(' na baada'))
        await reader.until('baada')
        await leaving(reader)
        assert.equal(stream.seen.closed, false, 'the upstream may tell its usage')
        end(stream)
      })
      assert.deepEqual(
        records.map((one) => [one.status, one.estimated, one.cost_micro > 0n]),
        [['completed', false, true]],
      )
    })

    test('a connection that breaks behind the finish takes nothing away', async () => {
      const { records, result } = await watch(app, asha.accountId).during(async () => {
        const { stream, reader } = await open()
        stream.send(finishEvent)
        stream.send(text(' na baada'))
        await reader.until('baada')
        stream.reset()
        return reader.whole()
      })
      assert.match(result, /"finish_reason":"stop".*\n\ndata: \[DONE\]\n\n$/)
      assert.equal(records[0]!.status, 'completed')
    })
  })

const LOCK = 'select 1 from ledger_accounts where account_id = $1 for update'

async function waitsForLock(lock: Client): Promise<void> {
  await eventually('a statement waits for the lock', async () => {
    const { rows } = await lock.query(
      `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })
}
