// What is proved of the error codes of charging stations by the tests that run over all nouns (noun-proofs.ts).
import { asItIs, press, pressFirst } from '../../../../e2e/reach.ts'
import { reasons } from '../additions.ts'
import type { NounProofs } from '../noun-proofs.ts'
import { fresh, shared, unnamed } from '../references.ts'

export const proofs: NounProofs = {
  references: {
    listOcppCodes: shared,
    listUnknownOcppCodes: unnamed,
    insertOcppCode: shared,
    updateOcppCode: shared,
    deleteOcppCode: shared,
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
  },
  screens: [
    [
      '/equipment/ocppCode',
      {
        'the error codes of charging stations': asItIs,
        'the form of an error code': pressFirst('登记故障码'),
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
  },
  additions: {
    listOcppCodes: reasons.otherMakers,
    listUnknownOcppCodes: reasons.otherMakers,
    insertOcppCode: reasons.otherMakers,
    updateOcppCode: reasons.otherMakers,
    deleteOcppCode: reasons.otherMakers,
  },
}
