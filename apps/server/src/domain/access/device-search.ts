// What a device is found by: parts of its code, name and address, in letters of any case. The texts stand in
// device_listing, which a search reads from end to end: conditions here are on its rows `d`.
import { wordsIn } from '@voltkeep/contract'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db } from '../../platform/database/database.ts'
import { likeLiteral } from '../../platform/database/like.ts'
import { type DataScope, deviceWithinScope, withinScope } from './data-scope.ts'

const code = /^[A-Za-z0-9]+$/

export const mayBeCode = (word: string) => code.test(word)
export const codeWordsOf = (text: string) => wordsIn(text).filter(mayBeCode)

const contains = (part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`d.search_text LIKE '%' || lower(${likeLiteral(part)}::text) || '%'`

/** The address is the last line. */
const addressContains = (part: string): RawBuilder<SqlBool> =>
  sql<SqlBool>`(${contains(part)} AND split_part(d.search_text, E'\\n', 3) LIKE '%' || lower(${likeLiteral(part)}::text) || '%')`

const all = (conditions: readonly RawBuilder<SqlBool>[]): RawBuilder<SqlBool> =>
  conditions.length === 0 ? sql<SqlBool>`false` : sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`

/**
 * Listed devices `d` that a typed or pasted text asks for, split at line breaks, spaces, commas and semicolons of
 * either kind. Of what could be codes (letters and digits) any may be in a device's code, name or address: a pasted
 * column of them. All other words have to be: `东门 换电柜`. A text of separators alone finds nothing.
 */
export function deviceFoundBy(text: string): RawBuilder<SqlBool> {
  const parts = wordsIn(text)
  const codes = parts.filter(mayBeCode)
  const conditions = parts.filter((part) => !mayBeCode(part)).map(contains)
  if (codes.length > 0) conditions.push(sql<SqlBool>`(${sql.join(codes.map(contains), sql` OR `)})`)
  return all(conditions)
}

/** Listed devices `d` whose address has all of these words. */
export const deviceAddressHas = (text: string): RawBuilder<SqlBool> => all(wordsIn(text).map(addressContains))

/**
 * With more operators than these, devices of a scope are read in one pass and not by the index of operators, which
 * reads a page of the table for each device: 35,000 devices of 25 operators, among 100,000, took three times as long
 * as all of them in a pass.
 */
const readByIndex = 8

/** The scope over a listed device `d` of whom a part of the code is compared. */
const listedWithinScope = (scope: DataScope) =>
  (scope.operatorIds?.length ?? 0) <= readByIndex
    ? deviceWithinScope(scope)
    : withinScope(scope, {
        operatorId: sql`d.operator_id + 0`,
        modelId: sql.ref('d.model_id'),
        regionId: sql.ref('d.region_id'),
      })

/**
 * With more codes than these, not each is searched in every device: instead every substring of a device's code is
 * looked up among them.
 */
const comparedOneByOne = 10

/**
 * Ids of the devices by a list of codes (letters and digits), in any case. A single code is probably still being typed:
 * it is searched as a part. Of several codes, which are pasted, a whole code means its device alone; a code that is no
 * device's whole code within `scope` is searched as a part. So a code out of the scope is answered like one that does
 * not exist. An empty list finds nothing.
 */
export function deviceIdsByCode(scope: DataScope, codes: readonly string[]): RawBuilder<number[]> {
  const hasPart =
    codes.length <= comparedOneByOne
      ? sql`d.code LIKE ANY(ARRAY(SELECT '%' || code || '%' FROM part))`
      : sql`EXISTS (
          SELECT FROM (SELECT DISTINCT length(code) AS n FROM part) AS size,
            generate_series(1, length(d.code) - size.n + 1) AS i
          WHERE substr(d.code, i, size.n) = ANY(ARRAY(SELECT code FROM part)))`
  return sql<number[]>`ARRAY(
    WITH asked AS MATERIALIZED (
      SELECT DISTINCT lower(c) COLLATE "C" AS code FROM unnest(${codes}::text[]) AS c
    ), whole AS MATERIALIZED (
      SELECT d.id, d.code FROM device_listing d
      WHERE d.code = ANY(ARRAY(SELECT code FROM asked)) AND ${deviceWithinScope(scope)}
    ), part AS MATERIALIZED (
      SELECT code FROM asked WHERE ${codes.length === 1} OR code NOT IN (SELECT code FROM whole)
    )
    SELECT id FROM whole
    UNION
    SELECT d.id FROM device_listing d
    WHERE EXISTS (SELECT FROM part) AND ${listedWithinScope(scope)} AND ${hasPart}
  )`
}

/** Each word that is no whole code is searched in all devices of the scope: of more words the others find nothing. */
const searchedWords = 200

/**
 * Of these words, in small letters, those that find a listed device in the scope: as its whole code, or as a part of
 * its code or of all that is searched of it.
 */
export async function listWordsFound(
  db: Db,
  scope: DataScope,
  partOf: 'code' | 'search_text',
  { whole, parts }: { whole: readonly string[]; parts: readonly string[] },
): Promise<ReadonlySet<string>> {
  if (whole.length === 0) return new Set()
  const small = (words: readonly string[]) => [...new Set(words.map((word) => word.toLowerCase()))]
  const { rows } = await sql<{ word: string }>`
    SELECT asked.word FROM unnest(${small(whole)}::text[]) AS asked(word)
    WHERE EXISTS (SELECT FROM device_listing d WHERE d.code = asked.word AND ${deviceWithinScope(scope)})
    UNION
    SELECT asked.word FROM unnest(${small(parts).slice(0, searchedWords)}::text[]) AS asked(word)
    WHERE EXISTS (
      SELECT FROM device_listing d WHERE strpos(d.${sql.ref(partOf)}, asked.word) > 0 AND ${deviceWithinScope(scope)})`.execute(
    db,
  )
  return new Set(rows.map(({ word }) => word))
}
