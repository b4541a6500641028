import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { delivered, errorCode, tryLater } from './sender.ts'
import type { Message, MessageSender } from './sender.ts'

/**
 * With no mail server or SMS provider, each message becomes one JSON file for the operator to read.
 * It is written under another name and renamed: a reader never sees half a file, and a repeated
 * message replaces itself.
 */
export function dropFolderSender(folder: string): MessageSender {
  return {
    async send(message) {
      try {
        await drop(folder, message)
        return delivered
      } catch (error) {
        return tryLater(errorCode(error))
      }
    },
    check: async () => delivered,
    async close() {},
  }
}

async function drop(folder: string, message: Message): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const aside = path.join(folder, `.${message.id}.part`)
  try {
    await writeFile(aside, contents(message), { mode: 0o600 })
    await rename(aside, path.join(folder, `${message.id}.json`))
  } catch (error) {
    // Half a file with a code in it must not stay behind.
    await rm(aside, { force: true })
    throw error
  }
}

function contents({ to, channel, subject, text, createdAt }: Message): string {
  return `${JSON.stringify({ to, channel, subject, text, created_at: createdAt }, null, 2)}\n`
}
