// Fields by which a write says what it reaches. One that is empty or misspelt must not make the call reach everything.
import * as z from 'zod/mini'

/**
 * The error of a `z.strictObject` whose fields narrow a write; `otherwise` is for a value that is no object. The server
 * names each unknown field in the problem's path.
 */
export const unknownNarrowing =
  (otherwise: string) =>
  (issue: { code?: string | undefined; keys?: readonly string[] }): string =>
    issue.code === 'unrecognized_keys' ? `未知的筛选条件 ${issue.keys?.join('、')}` : otherwise

/** Refuses conditions that are empty lists, such as `statuses: []`: they would narrow nothing. */
export const noEmptyCondition = z.check<object>(({ value, issues }) => {
  for (const [name, condition] of Object.entries(value)) {
    if (!Array.isArray(condition) || condition.length > 0) continue
    issues.push({ code: 'custom', message: emptyListMessage, path: [name], input: value })
  }
})

const emptyListMessage = '请至少选择一项，或去掉该条件'

/** Whether an object has any condition. */
export const hasCondition = (filter: object | undefined): boolean =>
  filter !== undefined && Object.values(filter).some((condition) => condition !== undefined)
