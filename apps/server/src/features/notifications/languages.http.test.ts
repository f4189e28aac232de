// In whose language a message is: a letter in that of who gets it, what a group reads in that of its channel.
import {
  type InputFor,
  insertNotifyChannel,
  insertNotifyRule,
  listNotifyChannels,
  saveLanguage,
  saveNotifyContact,
  testNotifyChannel,
  updateNotifyChannel,
} from '@voltkeep/contract'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { appOfTests } from '../../../test/app.ts'
import { insertAlarm, insertDevice, insertOperator, insertOrganization } from '../../../test/factories.ts'
import { readMail, startMailServer } from '../../../test/mail-server.ts'
import { type Imitation, imitateWecom } from '../../../test/robots.ts'
import { imitateAliyunSms, smsSecret, smsSettings } from '../../../test/sms.ts'

const app = await appOfTests({ NOTIFY_NETWORKS: '127.0.0.0/8', PUBLIC_URL: 'https://console.example' })
const organizationId = await insertOrganization(app.db)
const operatorId = await insertOperator(app.db, { organizationId })

const open: { close(): Promise<void> }[] = []
const opened = async <Opened extends { close(): Promise<void> }>(made: Promise<Opened>): Promise<Opened> => {
  const server = await made
  open.push(server)
  return server
}
afterEach(async () => {
  await sql`UPDATE notify_rule SET is_enabled = false`.execute(app.db)
  for (const server of open.splice(0)) await server.close()
})

let count = 0
const verbs = ['list', 'insert', 'update', 'delete']
const owner = await app.asUser({
  organizationId,
  functionCodes: verbs.flatMap((verb) => [`notifyRule:${verb}`, `notifyChannel:${verb}`]),
})
/** A user of the organization who reads this language. */
async function reader(language: 'zh' | 'en') {
  const user = await app.asUser({ organizationId, functionCodes: ['alarm:page'] })
  expect(await app.call(saveLanguage, { language }, user.token)).toMatchObject({ code: 200 })
  return user
}
async function channel(form: Omit<InputFor<typeof insertNotifyChannel>, 'name'>): Promise<string> {
  const answer = await app.call(insertNotifyChannel, { ...form, name: `渠道${++count}` }, owner.token)
  expect(answer).toMatchObject({ code: 200 })
  return answer.data.id
}
async function rule(targets: { channelIds?: string[]; userIds?: string[] }) {
  const form = { name: `规则${++count}`, when: ['raised' as const], alarmLevels: [1 as const], groupWaitS: 0 }
  const answer = await app.call(insertNotifyRule, { ...form, ...targets }, owner.token)
  expect(answer).toMatchObject({ code: 200 })
}
/** Smoke, in compartment 1, on a new device. */
async function raise() {
  const device = await insertDevice(app.db, { operatorId })
  const id = await insertAlarm(app.db, device, '01110002', 0)
  await sql`SELECT pg_notify('voltkeep', ${JSON.stringify({ name: 'alarmsOpened', ids: [id] })})`.execute(
    app.db,
  )
  return device
}
const soon = { timeout: 20_000, interval: 50 }
const shown = (robot: Imitation) => expect.poll(() => robot.shown.join('\n'), soon)

test('a mail to people of two languages is to each in their own', async () => {
  const server = await opened(startMailServer())
  const settings = { host: '127.0.0.1', port: server.port, isTls: false, from: 'ops@example.com' }
  const channelId = await channel({ kind: 'mail', address: 'all@example.com', settings })
  const [chinese, english] = [await reader('zh'), await reader('en')]
  for (const [user, address] of [
    [chinese, 'zh@example.com'],
    [english, 'en@example.com'],
  ] as const)
    expect(await app.call(saveNotifyContact, { channelId, address }, user.token)).toMatchObject({ code: 200 })
  await rule({ userIds: [String(chinese.id), String(english.id)] })
  await raise()
  await expect.poll(() => server.letters.length, soon).toBe(2)
  const subjects = server.letters.map((letter) => {
    const to = /^To: (\w+)@/m.exec(letter)?.[1] ?? ''
    return [to, readMail(letter).subject] as const
  })
  expect(Object.fromEntries(subjects)).toEqual({
    zh: '【紧急告警】烟感告警 · 柜顶烟感触发、电源仓烟感触发',
    en: '[Critical alarm] Smoke detected · Smoke detector at the top, Smoke detector in the power bay',
  })
})

test('a short message has the words of its reader in the template', async () => {
  const service = await opened(imitateAliyunSms())
  const sms = { ...smsSettings, endpoint: service.url }
  const channelId = await channel({ kind: 'aliyunSms', address: '13800000009', secret: smsSecret, sms })
  const user = await reader('en')
  const contact = { channelId, address: '13800000001' }
  expect(await app.call(saveNotifyContact, contact, user.token)).toMatchObject({ code: 200 })
  await rule({ userIds: [String(user.id)] })
  const device = await raise()
  await shown(service).toContain(`13800000001 Critical alarm Smoke detected · Smo ${device.code} 1`)
})

test('a group is told in the language of its channel, whoever is mentioned and whoever has set it up', async () => {
  const [first, second] = [await opened(imitateWecom()), await opened(imitateWecom())]
  await app.call(saveLanguage, { language: 'en' }, owner.token)
  const chinese = await channel({ kind: 'wecom', address: first.url })
  const english = await channel({ kind: 'wecom', address: second.url, language: 'en' })
  await app.call(saveLanguage, { language: 'zh' }, owner.token)
  const user = await reader('en')
  const contact = { channelId: chinese, address: '13800000001' }
  expect(await app.call(saveNotifyContact, contact, user.token)).toMatchObject({ code: 200 })
  await rule({ channelIds: [english], userIds: [String(user.id)] })
  await raise()
  await shown(first).toContain('烟感告警')
  await shown(second).toContain('Smoke detected')
  expect(first.shown.join()).not.toContain('Smoke')
  expect(second.shown.join()).not.toMatch(/告警|设备|位置/)
  // A test of the channel is what people will read there.
  expect(await app.call(testNotifyChannel, { id: english }, owner.token)).toMatchObject({
    data: { isDelivered: true },
  })
  await shown(second).toContain('A test, no alarm')
})

test('the language of a channel is kept until another is given', async () => {
  const robot = await opened(imitateWecom())
  const id = await channel({ kind: 'wecom', address: robot.url, language: 'en' })
  const shownOf = async () => (await app.call(listNotifyChannels, { ids: [id] }, owner.token)).data[0]
  const change = async (more: object) => {
    const { name = '', version = 0 } = (await shownOf()) ?? {}
    return await app.call(updateNotifyChannel, { id, name, version, ...more }, owner.token)
  }
  expect(await shownOf()).toMatchObject({ language: 'en' })
  expect(await change({})).toMatchObject({ code: 200 })
  expect(await shownOf()).toMatchObject({ language: 'en' })
  expect(await change({ language: 'de' })).toMatchObject({ status: 400, data: [{ field: 'language' }] })
  expect(await change({ language: 'zh' })).toMatchObject({ code: 200 })
  expect(await shownOf()).toMatchObject({ language: 'zh' })
})
