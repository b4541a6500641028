import type { Channel, MessageSender } from '../../notices/sender.ts'
import { bad, good, note, type Diagnosis } from './diagnosis.ts'

/** How a channel is configured; undefined where messages are written as files. */
export type ChannelSettings = Record<Channel, string | undefined>

/** Logs in to the mail server or SMS provider. Sends nothing. */
export async function examineMessages(
  senders: Record<Channel, MessageSender>,
  settings: ChannelSettings,
): Promise<Diagnosis[]> {
  const channels: Channel[] = ['email', 'sms']
  return Promise.all(
    channels.map(async (channel) => {
      const name = settings[channel]
      if (name === undefined) {
        return note(channel, 'Messages are written to DATA_DIR/outbox as files.', CURES[channel])
      }
      const answer = await senders[channel].check()
      if (answer.ok) return good(channel, `${name} accepts our login.`)
      const says = `${name} does not accept our login (${answer.reason}).`
      return bad(channel, says, `Correct the settings of ${name}, or check the network.`)
    }),
  )
}

const CURES: Record<Channel, string> = {
  email: 'Set SMTP_URL before customers come.',
  sms: 'Set SMS_PROVIDER before customers come.',
}
