import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../chat/free-port.ts'
import { MODEL, type Gateway } from '../chat/gateways.ts'

export type OtherGateway = { gateway: Gateway; stop(): void }

const PATIENCE_MS = 90_000

/**
 * What is there of other gateways: LiteLLM's proxy if it is installed (`LITELLM` names the program),
 * and any other by its command in `PEER_COMMAND`, in which `{port}` and `{upstream}` are filled in.
 */
export async function startOthers(origin: string, folder: string): Promise<OtherGateway[]> {
  const { PEER_COMMAND, PEER_NAME = 'the other gateway' } = process.env
  const commands: { name: string; command(port: number): string }[] = []
  const litellm = process.env.LITELLM ?? inPath('litellm')
  if (litellm === undefined) {
    console.log(`  (LiteLLM is not here: pip install 'litellm[proxy]', or LITELLM=<program>)`)
  } else {
    const config = join(folder, 'litellm.yaml')
    await writeFile(config, litellmConfig(origin))
    const command = (port: number) =>
      `'${litellm}' --config '${config}' --host 127.0.0.1 --port ${port}`
    commands.push({ name: 'LiteLLM', command })
  }
  if (PEER_COMMAND !== undefined) {
    const command = (port: number) =>
      PEER_COMMAND.replaceAll('{port}', String(port)).replaceAll('{upstream}', `${origin}/v1`)
    commands.push({ name: PEER_NAME, command })
  }
  return Promise.all(commands.map(({ name, command }) => start(name, command)))
}

async function start(name: string, command: (port: number) => string): Promise<OtherGateway> {
  const port = await freePort()
  // A group of its own, so that whatever it starts ends with it.
  const child = spawn('sh', ['-c', `exec ${command(port)}`], { stdio: 'ignore', detached: true })
  const stop = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  process.once('exit', stop)
  const untilMs = performance.now() + PATIENCE_MS
  while (!(await answers(port))) {
    if (child.exitCode !== null || performance.now() > untilMs) {
      stop()
      throw new Error(`${name} did not answer a chat call. It was started by: ${command(port)}`)
    }
    await sleep(250)
  }
  const headers = [`Authorization: Bearer ${process.env.PEER_KEY ?? 'any'}\r\n`]
  return { gateway: { name, port, pid: child.pid!, headers }, stop }
}

async function answers(port: number): Promise<boolean> {
  const body = { model: MODEL, messages: [{ role: 'user', content: 'Habari' }] }
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${process.env.PEER_KEY ?? 'any'}`,
    },
    body: JSON.stringify(body),
  }).catch(() => undefined)
  await answer?.arrayBuffer()
  return answer?.ok === true
}

function inPath(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}

/** Without a database: it neither counts nor charges. */
function litellmConfig(origin: string): string {
  return `model_list:
  - model_name: ${MODEL}
    litellm_params:
      model: openai/bench
      api_base: ${origin}/v1
      api_key: any
general_settings:
  dangerously_permit_weak_or_unset_master_key: true
`
}
