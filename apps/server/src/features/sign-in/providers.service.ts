// Identity providers as administrators keep them.
import type {
  deleteSignInProvider,
  insertSignInProvider,
  listSignInProviders,
  ParsedInputFor,
  SignInProviderRow,
  updateSignInProvider,
} from '@voltkeep/contract'
import { signInReturnPath } from '@voltkeep/contract'
import type { Actor } from '../../platform/calls/actor.ts'
import { refuseInput } from '../../platform/calls/refusal.ts'
import { changing, type Subject } from '../../platform/database/changing.ts'
import type { Db, Trx } from '../../platform/database/database.ts'
import { idNumber } from '../../platform/database/ids.ts'
import { differenceOf, recordOperation } from '../../platform/database/operation-log.ts'
import { pageOf } from '../../platform/database/paging.ts'
import { plainQueries } from '../../platform/database/plain-queries.ts'
import type { Sealer } from '../../platform/process/sealing.ts'
import * as queries from './providers.queries.ts'

const rows = plainQueries('sign_in_provider')
export const secretPurpose = 'sign_in_provider.client_secret'

export interface ProviderNeeds {
  db: Db
  sealer: Sealer
  /** The address of this server. */
  ownAddress: () => string
}

export type Providers = ReturnType<typeof createProviders>

type Form = ParsedInputFor<typeof insertSignInProvider>

export function createProviders({ db, sealer, ownAddress }: ProviderNeeds) {
  /** Refuses (400) rules with roles or organizations that do not exist. A rule never gives SYSTEM. */
  async function checkedRules(trx: Trx, form: Pick<Form, 'rules'>): Promise<queries.KeptRule[]> {
    const kept = form.rules.map(({ roleIds, organizationId, ...rule }) => ({
      ...rule,
      roleIds: [...new Set(roleIds.map(idNumber))],
      organizationId: idNumber(organizationId),
    }))
    const roles = new Set(
      (
        await queries.lockRoles(
          trx,
          kept.flatMap(({ roleIds }) => roleIds),
        )
      ).map(({ id }) => id),
    )
    const organizations = new Set(
      (
        await queries.lockOrganizations(
          trx,
          kept.map((rule) => rule.organizationId),
        )
      ).map(({ id }) => id),
    )
    for (const [n, rule] of kept.entries()) {
      if (!rule.roleIds.every((id) => roles.has(id)))
        refuseInput({ field: `rules.${n}.roleIds`, message: '角色不存在，或不能通过企业登录授予' })
      if (!organizations.has(rule.organizationId))
        refuseInput({ field: `rules.${n}.organizationId`, message: '组织不存在' })
    }
    return kept
  }

  const valuesOf = (form: Form, rules: queries.KeptRule[]) => ({
    kind: form.kind,
    name: form.name,
    issuer: issuerOf(form),
    corp_id: form.kind === 'oidc' ? null : (form.corpId ?? null),
    address: form.kind === 'oidc' ? null : (form.address ?? null),
    client_id: form.clientId,
    scopes: form.scopes,
    rules: JSON.stringify(rules),
    is_enabled: form.isEnabled === 1,
  })
  const sealed = (secret: string) => sealer.seal(secret, secretPurpose)

  return {
    async listSignInProviders(input: ParsedInputFor<typeof listSignInProviders>) {
      const [records, total] = await Promise.all([
        queries.listProviders(db, pageOf(input)),
        queries.countProviders(db),
      ])
      return {
        rows: records.map(({ clientSecret, isEnabled, ...record }) => ({
          ...record,
          hasSecret: clientSecret !== null,
          isEnabled: (isEnabled ? 1 : 0) as SignInProviderRow['isEnabled'],
          returnAddress: ownAddress() + signInReturnPath,
        })),
        total,
      }
    },

    async insertSignInProvider(actor: Actor, form: Form): Promise<{ id: number }> {
      if (form.kind !== 'oidc' && form.clientSecret === undefined)
        refuseInput({ field: 'clientSecret', message: '请输入密钥' })
      return db.transaction().execute(async (trx) => {
        const rules = await checkedRules(trx, form)
        const secret = form.clientSecret === undefined ? null : sealed(form.clientSecret)
        const id = await rows.insert(trx, { ...valuesOf(form, rules), client_secret: secret })
        await recordOperation(trx, actor, {
          target: targetOf(form),
          changes: { after: shownOf({ ...form, issuer: issuerOf(form) }, rules) },
        })
        return { id }
      })
    },

    /** Refuses `signInProviderNotFound`, `conflict`, and 400 for another issuer or client without its secret. */
    async updateSignInProvider(
      actor: Actor,
      form: ParsedInputFor<typeof updateSignInProvider>,
    ): Promise<void> {
      const { version, clientSecret } = form
      await changing(db, actor, { ...providerOf(form.id), version }, async (trx, before) => {
        if (form.kind !== before.kind) refuseInput({ field: 'kind', message: '类型不能更改' })
        const isOther =
          issuerOf(form) !== before.issuer ||
          form.clientId !== before.clientId ||
          (form.kind !== 'oidc' && (form.address ?? null) !== before.address)
        // A secret is for the one to whom it was given.
        if (isOther && before.clientSecret !== null && clientSecret === undefined)
          refuseInput({ field: 'clientSecret', message: '更换服务地址、企业或客户端时须重新输入密钥' })
        const rules = await checkedRules(trx, form)
        await rows.update(trx, before.id, {
          ...valuesOf(form, rules),
          ...(clientSecret !== undefined && { client_secret: sealed(clientSecret) }),
        })
        return differenceOf(
          shownOf(
            { ...before, address: before.address ?? undefined, isEnabled: before.isEnabled ? 1 : 0 },
            before.rules,
          ),
          shownOf({ ...form, issuer: issuerOf(form) }, rules),
        )
      })
    },

    /** Who came by it keeps the account, and comes no more this way. */
    async deleteSignInProvider(
      actor: Actor,
      { id }: ParsedInputFor<typeof deleteSignInProvider>,
    ): Promise<void> {
      await changing(db, actor, providerOf(id), async (trx, before) => {
        await rows.delete(trx, before.id)
        return { before: { name: before.name, issuer: before.issuer, clientId: before.clientId } }
      })
    },
  }
}

const providerOf = (id: string): Subject<queries.ProviderRecord> => ({
  lock: (trx) => queries.lockProvider(trx, idNumber(id)),
  notFound: 'signInProviderNotFound',
  target: targetOf,
})

const targetOf = ({ name }: { name: string }) => `企业登录 ${name}`

/** Under which its people are known: never that of another company. */
const issuerOf = ({ kind, issuer, corpId }: Pick<Form, 'kind' | 'issuer' | 'corpId'>): string =>
  kind === 'oidc' ? (issuer as string) : `${kind}:${corpId}`

const shownOf = (
  {
    kind,
    name,
    issuer,
    address,
    clientId,
    scopes,
    isEnabled,
  }: Pick<Form, 'kind' | 'name' | 'issuer' | 'address' | 'clientId' | 'scopes' | 'isEnabled'>,
  rules: readonly queries.KeptRule[],
) => ({
  ...{ kind, name, issuer, clientId, isEnabled },
  ...(address !== undefined && { address }),
  ...(kind === 'oidc' && { scopes }),
  rules: rules.map(
    ({ claim, value, roleIds, organizationId }) =>
      `${claim}=${value} → ${roleIds.join('、')} @ ${organizationId}`,
  ),
})
