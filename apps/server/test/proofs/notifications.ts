// What is proved of notices of alarms by the tests that run over all nouns (noun-proofs.ts).
import { insertDuty, insertNotifyChannel, insertNotifyRule } from '@voltkeep/contract'
import { asItIs, chooseFirst, itemOf, press } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { TestApp } from '../app.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, ownOnly, type Reference } from '../references.ts'

const alarmId: Reference = {
  to: 'alarm by id',
  input: (named) => ({ id: named.alarmId }),
  isOfDevice: true,
}
/** Of organizations, which have no id of a channel or a rule in common. */
const ownTests = 'channels and rules are of an organization, which its own tests ask as others'
const ruleForm = (channelIds: string[], filter = {}) => ({
  name: fresh('规则'),
  when: ['raised' as const],
  alarmLevels: [1 as const],
  channelIds,
  filter,
})

const dutyForm = (memberId: string) => ({
  name: fresh('值班表'),
  startsOn: '2026-11-02',
  handoverAt: '09:00',
  lengthHours: 168,
  memberIds: [memberId],
})
const idOfAdmin = async ({ db }: TestApp) =>
  String((await db.selectFrom('app_user').select('id').orderBy('id').executeTakeFirstOrThrow()).id)

async function channelOf(app: TestApp, token: string): Promise<string> {
  const form = { kind: 'wecom' as const, name: fresh('渠道'), address: 'https://robot.example.com/?key=1' }
  return (await app.call(insertNotifyChannel, form, token)).data.id
}

export const proofs: NounProofs = {
  references: {
    listNotifyChannels: ownTests,
    nameNotifyChannels: ownOnly,
    insertNotifyChannel: ownOnly,
    updateNotifyChannel: ownTests,
    deleteNotifyChannel: ownTests,
    testNotifyChannel: ownTests,
    listNotifyRules: ownTests,
    insertNotifyRule: ownTests,
    updateNotifyRule: ownTests,
    deleteNotifyRule: ownTests,
    listNotifyDeliveries: ownTests,
    listAlarmNotices: [alarmId],
    listNotifyContacts: ownOnly,
    saveNotifyContact: ownTests,
    deleteNotifyContact: ownOnly,
    listDuties: ownTests,
    readDutyNow: ownTests,
    nameDuties: ownOnly,
    listDutyPeople: 'names those of the caller’s organizations, by no id',
    insertDuty: ownTests,
    updateDuty: ownTests,
    deleteDuty: ownTests,
  },
  scope: {
    listNotifyChannels: { model: 'its own tests list it as users of several organizations' },
    listNotifyRules: { model: 'its own tests list it as users of several organizations' },
    listDuties: { model: 'its own tests list it as users of several organizations' },
    listNotifyDeliveries: { model: 'its own tests list it as users with narrower scopes' },
  },
  versions: {
    async updateNotifyChannel(app, token) {
      const id = await channelOf(app, token)
      return { table: 'notify_channel', key: { id }, change: () => ({ name: fresh('改名') }) }
    },
    async updateNotifyRule(app, token) {
      const channelIds = [await channelOf(app, token)]
      const { data } = await app.call(insertNotifyRule, ruleForm(channelIds), token)
      return { table: 'notify_rule', key: { id: data.id }, change: () => ruleForm(channelIds) }
    },
    async updateDuty(app, token) {
      const memberId = await idOfAdmin(app)
      const { data } = await app.call(insertDuty, dutyForm(memberId), token)
      return { table: 'duty', key: { id: data.id }, change: () => dutyForm(memberId) }
    },
    saveNotifyContact: 'the caller’s own, where the last one counts',
    testNotifyChannel: 'changes nothing of the channel',
  },
  screens: [
    ['/maintenance/notify', { 'rules of notices': asItIs }],
    ['/maintenance/notify?tab=duties', { rotas: asItIs }],
    ['/maintenance/notify?tab=channels', { 'channels of notices': asItIs }],
    ['/maintenance/notify?tab=deliveries', { 'messages that were sent': asItIs }],
  ],
  forms: {
    'a new rule of notices': {
      of: 'notifications/RuleDialog',
      path: '/maintenance/notify',
      open: press('新增规则'),
      problems: ['请输入名称', '请选择通知渠道或人员'],
      complete: (form) => chooseFirst(itemOf(form, '通知人员')),
      sends: 'notify/rule/insert',
    },
    'a new rota': {
      of: 'notifications/DutyDialog',
      path: '/maintenance/notify?tab=duties',
      open: press('新增值班表'),
      problems: ['请输入名称', '请选择值班人员', '请输入开始日期'],
      typed: { 开始日期: '2026-12-01' },
      sends: 'duty/insert',
    },
    'a new channel of notices': {
      of: 'notifications/ChannelDialog',
      path: '/maintenance/notify?tab=channels',
      open: press('新增渠道'),
      problems: ['请选择类型'],
      sends: 'notify/channel/insert',
    },
  },
  additions: {
    listNotifyChannels: reasons.told,
    nameNotifyChannels: reasons.told,
    insertNotifyChannel: reasons.told,
    updateNotifyChannel: reasons.told,
    deleteNotifyChannel: reasons.told,
    testNotifyChannel: reasons.told,
    listNotifyRules: reasons.told,
    insertNotifyRule: reasons.told,
    updateNotifyRule: reasons.told,
    deleteNotifyRule: reasons.told,
    listNotifyDeliveries: reasons.told,
    listAlarmNotices: reasons.told,
    listNotifyContacts: reasons.told,
    saveNotifyContact: reasons.told,
    deleteNotifyContact: reasons.told,
    listDuties: reasons.told,
    readDutyNow: reasons.told,
    nameDuties: reasons.told,
    listDutyPeople: reasons.told,
    insertDuty: reasons.told,
    updateDuty: reasons.told,
    deleteDuty: reasons.told,
  },
}
