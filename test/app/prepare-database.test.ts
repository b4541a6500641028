import assert from 'node:assert/strict'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { after, test } from 'node:test'
import { prepareDatabase } from '../../src/app/prepare-database.ts'
import { readConfig } from '../../src/config.ts'
import { openDatabase } from '../../src/db/database.ts'
import { silentLog } from '../../src/lib/log.ts'
import { asService, emptyDatabase } from '../support/databases.ts'
import { addressIn, throughPort } from '../support/peers/database-address.ts'
import { startReplica } from '../support/replica.ts'

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

/** The service is really started; what it writes before it ends is what the operator reads. */
async function whyItEnds(databaseUrl: string): Promise<string> {
  const env = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: tmpdir(),
    MASTER_KEY: 'a master key for tests, long enough',
  }
  const error = await startReplica(env).then(
    () => assert.fail('the service started'),
    (error: Error) => error,
  )
  assert.match(error.message, /Mlango cannot start\./)
  assert.match(error.message, /DATABASE_URL/)
  assert.doesNotMatch(error.message, /secret-word|briefly unavailable|\n +at /)
  return error.message
}

test('a server that is not there: its address without the password, and what to check', async () => {
  const why = await whyItEnds('postgresql://asha:secret-word@127.0.0.1:1/mlango')
  assert.match(why, /cannot reach the database at postgresql:\/\/asha@127\.0\.0\.1:1\/mlango/)
  assert.match(why, /the connection was refused/)
  assert.match(why, /Check that the server is running/)
})

test('a host name that nobody knows', async () => {
  const why = await whyItEnds('postgresql://asha:secret-word@nowhere.invalid/mlango')
  assert.match(why, /postgresql:\/\/asha@nowhere\.invalid:5432\/mlango: the host name/)
})

test('a socket that is not there', async () => {
  const why = await whyItEnds('postgresql://asha:secret-word@/mlango?host=/nowhere')
  assert.match(why, /postgresql:\/\/asha@\/nowhere\/mlango: there is no such socket/)
})

test('a database that does not exist is named', async () => {
  const url = new URL(await emptyDatabase())
  url.pathname = '/not_here'
  url.password = 'secret-word'
  assert.match(await whyItEnds(url.href), /has no database "not_here"\. Create it/)
})

test('a wrong password', async () => {
  const port = await listening((socket) =>
    socket.once('data', () => socket.end(fatal('28P01', 'password authentication failed'))),
  )
  const why = await whyItEnds(`postgresql://asha:secret-word@127.0.0.1:${port}/mlango`)
  assert.match(why, new RegExp(`127\\.0\\.0\\.1:${port} refused the password of user "asha"`))
})

for (const [code, why] of [
  [
    '08P01',
    /refused the settings of our connections\. A pooler must ignore them: see docs\/scale\.md/,
  ],
  ['42P05', /does not follow named statements: see docs\/scale\.md/],
] as const) {
  test(`a pooler that is not set up for us (${code})`, async () => {
    const port = await listening((socket) =>
      socket.once('data', () => socket.end(fatal(code, 'unsupported'))),
    )
    assert.match(await whyItEnds(`postgresql://asha@127.0.0.1:${port}/mlango`), why)
  })
}

test('a server that is too old', async () => {
  const real = await emptyDatabase()
  // A real server, whose version is made older on its way.
  const port = await listening((socket) => {
    const upstream = connect(addressIn(real))
    const end = () => [socket, upstream].forEach((one) => one.destroy())
    for (const one of [socket, upstream]) one.on('error', end).on('close', end)
    socket.pipe(upstream)
    upstream.on('data', (bytes) => {
      const older = bytes.toString('latin1').replace(/(?<!\d)1[5-9](?=00\d\d(?!\d))/, '14')
      socket.write(Buffer.from(older, 'latin1'))
    })
  })
  const url = new URL(throughPort(real, port))
  url.password = 'secret-word'
  const why = await whyItEnds(url.href)
  assert.match(why, /runs PostgreSQL \S+.*Mlango needs version 15 or later\./)
})

test('data of a version before the first release, elsewhere or in the folder of its own', async () => {
  const url = await emptyDatabase()
  const db = openDatabase({ url, poolSize: 1, log: silentLog })
  await db.script(`create table migrations (number int, name text, hash text);
    insert into migrations values (1, '0001-before.sql', '')`)
  await db.close()
  assert.match(await whyItEnds(url), /before its first release.*name an empty database/)
  const local = readConfig({ DATA_DIR: '/var/lib/mlango' })
  await assert.rejects(
    prepareDatabase(local, silentLog, { url, serviceUrl: asService(url) }),
    /DATA_DIR \/var\/lib\/mlango holds data of a version .* before its first release/,
  )
})

async function listening(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer(serve)
  servers.push(server)
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  return (server.address() as AddressInfo).port
}

/** An ErrorResponse of PostgreSQL's protocol. */
function fatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}
