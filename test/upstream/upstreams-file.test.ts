import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readUpstreams } from '../../src/upstream/upstreams-file.ts'

const one = { name: 'main', type: 'openrouter', base_url: 'https://host.example/api/v1' }

describe('the file of upstreams', () => {
  it('fills in what is left out, and takes the key from the environment', () => {
    const [read] = readUpstreams({ upstreams: [{ ...one, api_key_env: 'A' }] }, { A: 'secret' })
    assert.deepEqual(read, {
      name: 'main',
      type: 'openrouter',
      priority: 1,
      weight: 1,
      sync: true,
      margin: '1',
      records: [],
      baseUrl: 'https://host.example/api/v1',
      apiKey: 'secret',
      timeouts: {},
    })
  })

  it('reads records by hand, in the upstream’s shape or a flat one', () => {
    const [read] = readUpstreams(
      {
        upstreams: [
          {
            ...one,
            type: 'openai',
            margin: 1.25,
            models: [
              {
                id: 'lab/door',
                upstream_id: 'door-1',
                pricing: { prompt: '0.000001', completion: '0.000002' },
                context_length: 8192,
                max_output_tokens: 1024,
              },
              {
                id: 'lab/ear',
                input_modalities: ['audio'],
                output_modalities: ['transcription'],
                pricing: { audio_second: '0.0001' },
              },
              { id: 'lab/no-price' },
            ],
          },
        ],
      },
      {},
    )
    const [door, ear, none] = read!.records
    assert.equal(read!.sync, false)
    assert.equal(read!.margin, '1.25')
    assert.deepEqual(
      [door!.upstreamModel, door!.priced, door!.outputModalities, door!.maxOutputTokens],
      ['door-1', 'paid', ['text'], 1024],
    )
    assert.deepEqual([ear!.priceBasis, ear!.pricing], ['second', { audio_second: '0.0001' }])
    assert.equal(none!.priced, 'unpriced')
  })

  it('says which field is wrong, and never what was in it', () => {
    const cases: [unknown, RegExp][] = [
      [{}, /upstreams/],
      [{ upstreams: [] }, /upstreams/],
      [{ upstreams: [{ ...one, type: 'secret' }] }, /upstreams\.0\.type/],
      [{ upstreams: [{ ...one, base_url: 'ftp://secret' }] }, /upstreams\.0\.base_url/],
      [
        { upstreams: [one, { ...one, name: 'b', base_url: 'http://secret' }] },
        /upstreams\.1\.base_url/,
      ],
      [{ upstreams: [{ ...one, name: 'Secret Name' }] }, /upstreams\.0\.name/],
      [{ upstreams: [{ ...one, weight: 0 }] }, /upstreams\.0\.weight/],
      [{ upstreams: [{ ...one, margin: '-1' }] }, /upstreams\.0\.margin/],
      [{ upstreams: [{ ...one, api_key_env: 'SECRET_NAME' }] }, /upstreams\.0\.api_key_env/],
      [{ upstreams: [one, one] }, /unique/],
      [{ upstreams: [{ ...one, pass_fields: ['Secret'] }] }, /pass_fields\.0: must be the name/],
      [{ upstreams: [{ ...one, pass_fields: ['model'] }] }, /pass_fields\.0: is set by/],
      [{ upstreams: [{ ...one, models: [{ name: 'secret' }] }] }, /upstreams\.0\.models/],
    ]
    for (const [json, sentence] of cases) {
      assert.throws(
        () => readUpstreams(json, {}),
        (error) =>
          error instanceof Error && sentence.test(error.message) && !/secret/i.test(error.message),
      )
    }
  })

  it('takes plain http on this machine, and to the hosts that a setting names', () => {
    const at = (base_url: string) => ({ upstreams: [{ ...one, base_url }] })
    assert.equal(readUpstreams(at('http://127.0.0.1:8/v1'), {}).length, 1)
    assert.equal(readUpstreams(at('http://10.0.0.5:8/v1'), {}, ['10.0.0.0/8']).length, 1)
    assert.throws(() => readUpstreams(at('http://10.0.0.5:8/v1'), {}), /ALLOW_PLAINTEXT_HOSTS/)
  })
})
