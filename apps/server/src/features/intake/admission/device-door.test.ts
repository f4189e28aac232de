import { expect, test } from 'vitest'
import { hashSecret } from '../../devices/index.ts'
import { createDeviceDoor } from './device-door.ts'
import { createIdentities } from './device-identities.ts'
import { createAttempts } from './secret-attempts.ts'
import { createSecretChecks } from './secret-checks.ts'

function doorOf(code: string) {
  const refusals = { record() {}, async close() {} }
  return createDeviceDoor({
    identities: createIdentities({
      async read(codes) {
        const device = { id: 1, code, protocolIdentity: null, modelId: 1, protocol: 'ddi' as const }
        return codes.includes(code) ? [{ ...device, secretHash: hashSecret('right') }] : []
      },
    }),
    refusals,
    checks: createSecretChecks({ attempts: createAttempts(), refusals }),
    protocol: 'ddi',
    requests: { burst: 100, perSecond: 100 },
    gatewaySecret: null,
  })
}

const sentTogether = (send: (n: number) => Promise<unknown>) =>
  Promise.all(
    Array.from({ length: 30 }, (_, n) =>
      send(n).then(
        (answer) => answer,
        ({ refusal }) => refusal,
      ),
    ),
  )
const numberOf = (answers: unknown[], one: unknown) => answers.filter((answer) => answer === one).length

test.each(['EC1', 'NOBODY'])(
  'of secrets that are sent together ten are checked, and the right one is none of the others: %s',
  async (code) => {
    const door = doorOf('EC1')
    const answers = await sentTogether((n) =>
      door.admit({ code, proof: { of: 'device', secret: n < 29 ? `guess${n}` : 'right' }, address: 'a' }),
    )
    expect([numberOf(answers, 'agentUnknown'), numberOf(answers, 'tooManyWrongSecrets')]).toEqual([10, 20])
    await door.close()
  },
)

test('of signed addresses that are sent together ten are judged, and the right one is none of the others', async () => {
  const door = doorOf('EC1')
  const answers = await sentTogether((n) =>
    door.admitByAddress({ code: 'EC1', address: 'a' }, async () => n === 29),
  )
  expect([numberOf(answers, null), numberOf(answers, 'tooManyWrongSecrets')]).toEqual([10, 20])
  await door.close()
})

test('right ones that are sent together are all let in', async () => {
  const door = doorOf('EC1')
  const device = { id: 1, code: 'EC1' }
  const bySecret = await sentTogether(() =>
    door.admit({ code: 'EC1', proof: { of: 'device', secret: 'right' }, address: 'a' }),
  )
  const byAddress = await sentTogether(() =>
    door.admitByAddress({ code: 'EC1', address: 'a' }, async () => true),
  )
  expect([...bySecret, ...byAddress]).toEqual(Array(60).fill(device))
  await door.close()
})
