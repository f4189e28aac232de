// What is proved of the error codes of charging stations by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, inDetail, openFirst, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import { insertDevice } from '../factories.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { deviceId, fresh, type Reference, shared, unnamed } from '../references.ts'

const relayOfDevice: Reference = {
  to: 'device',
  input: ({ deviceId: id }) => ({ id, url: 'wss://old.example.com', version: 1 }),
  isOfDevice: true,
}

export const proofs: NounProofs = {
  references: {
    listOcppCodes: shared,
    listUnknownOcppCodes: unnamed,
    insertOcppCode: shared,
    updateOcppCode: shared,
    deleteOcppCode: shared,
    readOcppKeyChange: [deviceId],
    renewOcppKey: [deviceId],
    readOcppRelay: [deviceId],
    insertOcppRelay: [relayOfDevice],
    updateOcppRelay: [relayOfDevice],
    deleteOcppRelay: [deviceId],
  },
  scope: {
    listOcppCodes: { model: 'the error codes are the same for everyone', isFoundAnyway: true },
    listUnknownOcppCodes: {
      model: 'codes that stations have said: its own tests list them in a narrower scope',
      isFoundAnyway: true,
    },
  },
  versions: {
    async updateOcppCode(app) {
      const { id } = await app.db
        .insertInto('ocpp_error_code')
        .values({ vendor: fresh('厂家'), code: 'E1', semaphore_code: 'OCPP0007' })
        .returning('id')
        .executeTakeFirstOrThrow()
      return {
        table: 'ocpp_error_code',
        key: { id: String(id) },
        change: () => ({ vendor: fresh('厂家'), code: 'E1', semaphoreCode: 'OCPP0007' }),
      }
    },
    renewOcppKey: 'sets a random secret; nothing that a form has read is overwritten',
    async updateOcppRelay(app) {
      const { id } = await insertDevice(app.db, { protocol: 'ocpp16' })
      await app.db
        .insertInto('ocpp_relay')
        .values({ id, url: 'wss://old.example.com', is_enabled: true })
        .execute()
      return {
        table: 'ocpp_relay',
        key: { id: String(id) },
        change: () => ({ url: `wss://old.example.com/${fresh('p')}` }),
      }
    },
  },
  screens: [
    [
      '/equipment/ocppCode',
      {
        'the error codes of charging stations': asItIs,
        'the form of an error code': pressFirst('登记故障码'),
      },
    ],
    [
      '/equipment/list?keyword=CP900001',
      {
        'a station that another platform controls': openFirst,
        'the form of a relay': inDetail('修改转发'),
      },
    ],
  ],
  forms: {
    'a new error code of charging stations': {
      of: 'ocppCodes/OcppCodeDialog',
      path: '/equipment/ocppCode',
      open: press('登记故障码'),
      problems: ['请输入故障码', '请输入告警编码'],
      sends: 'ocpp/code/insert',
    },
    'the relay of a station': {
      of: 'devices/relay/RelayDialog',
      path: '/equipment/list?keyword=CP900001',
      open: inDetail('修改转发'),
      spoil: async (form) => {
        await form.getByLabel('原平台地址', { exact: true }).fill('')
      },
      problems: ['请输入原平台地址'],
      typed: { 原平台地址: 'wss://old.example.com/ocpp/2' },
      sends: 'ocpp/relay/update/*',
    },
  },
  additions: {
    listOcppCodes: reasons.otherMakers,
    listUnknownOcppCodes: reasons.otherMakers,
    insertOcppCode: reasons.otherMakers,
    updateOcppCode: reasons.otherMakers,
    deleteOcppCode: reasons.otherMakers,
    readOcppKeyChange: reasons.security,
    renewOcppKey: reasons.security,
    readOcppRelay: reasons.otherMakers,
    insertOcppRelay: reasons.otherMakers,
    updateOcppRelay: reasons.otherMakers,
    deleteOcppRelay: reasons.otherMakers,
  },
}
