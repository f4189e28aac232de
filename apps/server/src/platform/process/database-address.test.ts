import { expect, test } from 'vitest'
import { isDatabaseAddress, parseDatabaseAddress, placeOfDatabase } from './database-address.ts'

test('an address may name several hosts, each with its port', () => {
  const address = 'postgresql://user:p%40ss@db1:5433,db2,[::1]:5434/voltkeep?sslmode=require'
  const { hosts, withHost } = parseDatabaseAddress(address)
  expect(hosts).toEqual([
    { host: 'db1', port: 5433 },
    { host: 'db2', port: 5432 },
    { host: '[::1]', port: 5434 },
  ])
  expect(hosts.map(withHost)).toEqual([
    'postgresql://user:p%40ss@db1:5433/voltkeep?sslmode=require',
    'postgresql://user:p%40ss@db2:5432/voltkeep?sslmode=require',
    'postgresql://user:p%40ss@[::1]:5434/voltkeep?sslmode=require',
  ])
  expect(placeOfDatabase(address)).toBe('db1:5433,db2,[::1]:5434/voltkeep')
})

test.each([
  ['postgresql://u:p@a:5432,b:5432/name', true],
  ['postgresql://u@localhost/name?host=%2Ftmp', true],
  ['postgresql://u:p@a:5432,/name', false],
  ['postgresql://u:p@a:port,b/name', false],
  ['a,b', false],
])('%s is an address: %s', (address, is) => {
  expect(isDatabaseAddress(address)).toBe(is)
})
