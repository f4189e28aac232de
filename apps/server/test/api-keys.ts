import { type ApiKeySecret, functionCodesOf, insertApiKey, isFunctionForKeys } from '@voltkeep/contract'
import type { TestApp } from './app.ts'
import { endpoints } from './endpoints.ts'

/** All that a key may have. */
export const everyKeyFunction = [
  ...new Set(endpoints.flatMap(({ endpoint }) => functionCodesOf(endpoint))),
].filter(isFunctionForKeys)

let count = 0

/** A key of the user of this token, with every function unless others are given. */
export async function makeKey(
  app: TestApp,
  token: string,
  more: Record<string, unknown> = {},
): Promise<ApiKeySecret> {
  const form = { name: `密钥${++count}`, functionCodes: everyKeyFunction, ...more }
  const { code, message, data } = await app.call(insertApiKey, form, token)
  if (code !== 200) throw new Error(`a key: ${code} ${message}`)
  return data
}

/** Limits a key to these operators. */
export const ofOperators = (...ids: (number | string)[]) => ({
  authorityEntities: [{ authorityType: 'O' as const, value: ids.map(String) }],
})
