// Filters that several lists share: manufacturer and operator, type, model, part, region.
import { DownOutlined, UpOutlined } from '@ant-design/icons'
import { useQuery } from '@tanstack/react-query'
import { listOperators } from '@voltkeep/contract/operators'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { narrowQuery, useMedia } from '../../lib/browser/media.ts'
import { useHasShown } from '../../lib/firstShown.ts'
import { texts } from '../../lib/texts/index.ts'
import { readingRarely } from '../../lib/wire/reading.ts'
import { late } from '../late.tsx'
import { FilterChip, useIsChip } from '../list/filter/chips.tsx'
import { Later } from '../list/filter/Later.tsx'
import { ChoiceFilter, Filter } from '../list/filters.tsx'
import type { Draft } from '../list/useDraft.ts'
import { organizationName, regionName } from './choices.trees.ts'
import { useEquipTypes, useOperators, useOrganizations, usePartTypes, useRegions } from './choices.ts'
import { unread } from './Unread.tsx'

const RegionCascader = late(() => import('./RegionCascader.tsx'))
const OrganizationTree = late(() => import('./OrganizationTree.tsx'))

const { fields, list } = texts

/** An organization, including all under it. */
export function OrganizationFilter({
  of: draft,
  label,
  clears = [],
  operators,
}: {
  of: Draft
  label: string
  /** Other fields that are cleared with a new choice. */
  clears?: readonly string[]
  /** Operators that a typed text finds as well. */
  operators?: ReturnType<typeof useFoundOperators>
}) {
  const problem = draft.problem('organizationId')
  const chosen = draft.values.organizationId as string | undefined
  if (useIsChip()) {
    return (
      <FilterChip of={draft} names={['organizationId']} label={label} clears={clears}>
        {chosen && <OrganizationName id={chosen} />}
      </FilterChip>
    )
  }
  return (
    <Filter label={label} problem={problem}>
      {({ id, describedBy }) => (
        <Later text={list.all}>
          <OrganizationTree
            id={id}
            describedBy={describedBy}
            hasProblem={problem !== undefined}
            placeholder={texts.list.all}
            value={chosen}
            {...(operators && {
              also: operators.choices,
              isReadingAlso: operators.isReading,
              onSearch: operators.onSearch,
            })}
            onChange={(chosenId) => {
              const operator = operators?.chosenBy(chosenId)
              if (operator) draft.set({ organizationId: operator.organizationId, operatorId: operator.id })
              else
                draft.set({
                  organizationId: chosenId,
                  ...Object.fromEntries(clears.map((other) => [other, undefined])),
                })
            }}
          />
        </Later>
      )}
    </Filter>
  )
}

function OrganizationName({ id }: { id: string }) {
  return organizationName(useOrganizations(useHasShown()).data ?? [], id)
}

/** More than these are not offered: a longer text finds fewer. */
const mostFound = 20
const operatorKey = (id: string) => `operator ${id}`

/** Operators by a part of their name, for a user who does not know their manufacturer. */
function useFoundOperators() {
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase()
  const operators = useQuery({ ...readingRarely(listOperators, {}), enabled: wanted !== '' })
  const found =
    wanted === '' ? [] : (operators.data ?? []).filter(({ name }) => name.toLowerCase().includes(wanted))
  return {
    onSearch: setTyped,
    isReading: operators.isLoading,
    choices: found
      .slice(0, mostFound)
      .map(({ id, name }) => ({ id: operatorKey(id), name: fields.operatorNamed(name) })),
    chosenBy: (key: string | undefined) => found.find(({ id }) => operatorKey(id) === key),
  }
}

/**
 * Manufacturer and operator; the operator is disabled until a manufacturer is chosen. An operator's name that is typed
 * for the manufacturer chooses both.
 */
export function OwnerFilters({ of: draft }: { of: Draft }) {
  return (
    <>
      <ManufacturerFilter of={draft} />
      <OperatorFilter of={draft} />
    </>
  )
}

export function ManufacturerFilter({ of: draft }: { of: Draft }) {
  const found = useFoundOperators()
  return (
    <OrganizationFilter of={draft} label={fields.organization} clears={['operatorId']} operators={found} />
  )
}

export function OperatorFilter({ of: draft }: { of: Draft }) {
  const organizationId = draft.values.organizationId as string | undefined
  const operators = useOperators(organizationId)
  return (
    <ChoiceFilter
      of={draft}
      name="operatorId"
      label={fields.operator}
      isDisabled={organizationId === undefined}
      isLoading={operators.isFetching}
      none={unread(operators)}
      placeholder={organizationId === undefined ? fields.operatorFirst : texts.list.all}
      options={(operators.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

export function EquipTypeFilter({ of: draft }: { of: Draft }) {
  const types = useEquipTypes(useHasShown())
  return (
    <ChoiceFilter
      of={draft}
      name="equipTypeId"
      label={fields.equipType}
      isLoading={types.isPending}
      none={unread(types)}
      options={(types.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
      clears={['equipModelId']}
    />
  )
}

/** Models of the chosen type, or of all. */
export function ModelFilter({ of: draft }: { of: Draft }) {
  const types = useEquipTypes(useHasShown())
  const typeId = draft.values.equipTypeId as string | undefined
  const models = (types.data ?? [])
    .filter((type) => typeId === undefined || type.id === typeId)
    .flatMap((type) => type.equipModels)
  return (
    <ChoiceFilter
      of={draft}
      name="equipModelId"
      label={fields.model}
      isLoading={types.isPending}
      none={unread(types)}
      options={models.map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

/** All part types: one of them, or several. */
export function PartTypeFilter({
  of: draft,
  label,
  name = 'partType',
  isMultiple = false,
}: {
  of: Draft
  label: string
  name?: string
  isMultiple?: boolean
}) {
  const parts = usePartTypes(useHasShown())
  return (
    <ChoiceFilter
      of={draft}
      name={name}
      label={label}
      isMultiple={isMultiple}
      isLoading={parts.isPending}
      none={unread(parts)}
      options={(parts.data ?? []).map(({ code, name }) => ({ value: code, label: name }))}
    />
  )
}

export function RegionFilter({ of: draft }: { of: Draft }) {
  const regions = useRegions(useHasShown())
  const problem = draft.problem('regionCode')
  const chosen = draft.values.regionCode as string | undefined
  if (useIsChip()) {
    return (
      <FilterChip of={draft} names={['regionCode']} label={fields.region}>
        {chosen && regionName(regions.data ?? [], chosen)}
      </FilterChip>
    )
  }
  return (
    <Filter label={fields.region} problem={problem}>
      {({ id, describedBy }) => (
        <Later text={list.all}>
          <RegionCascader
            id={id}
            describedBy={describedBy}
            hasProblem={problem !== undefined}
            placeholder={texts.list.all}
            value={chosen}
            sendsForm
            onChange={(regionCode) => draft.set({ regionCode })}
          />
        </Later>
      )}
    </Filter>
  )
}

/** Filters of the second row: folded until wanted or in use. The sheet on a phone has room for all. */
export function MoreFilters({
  of: draft,
  fields: names,
  children,
}: {
  of: Draft
  /** The fields inside: they are not folded while one of them differs from its usual choice. */
  fields: readonly string[]
  children: ReactNode
}) {
  const isNarrow = useMedia(narrowQuery)
  const isUsed = names.some(
    (name) => draft.values[name] !== undefined && draft.values[name] !== draft.cleared[name],
  )
  const [isOpen, setOpen] = useState(isUsed)
  if (useIsChip() || isNarrow) return children
  const shown = isOpen || isUsed
  return (
    <>
      {shown && children}
      <Button
        type="text"
        aria-expanded={shown}
        disabled={isUsed}
        icon={shown ? <UpOutlined /> : <DownOutlined />}
        iconPlacement="end"
        onClick={() => setOpen(!shown)}
      >
        {shown ? list.less : list.more}
      </Button>
    </>
  )
}
