// Whom a rule or a step tells: channels, and people by name, role or duty.
import { useQuery } from '@tanstack/react-query'
import { listDutyPeople, nameDuties } from '@voltkeep/contract/duties'
import { nameNotifyChannels } from '@voltkeep/contract/notifications'
import { listRoleNames } from '@voltkeep/contract/roles'
import { reading } from '../../lib/wire/reading.ts'
import type { ChoiceProps } from '../../ui/choices/PlaceChoices.tsx'
import { unread } from '../../ui/choices/Unread.tsx'
import { SearchSelect } from '../../ui/typed/SearchSelect.tsx'
import { notificationTexts } from './notifications.texts.ts'

const { choose, kinds, people: words } = notificationTexts

export function ChannelChoice(props: ChoiceProps<string[]>) {
  const channels = useQuery(reading(nameNotifyChannels, {}))
  return (
    <SearchSelect
      {...props}
      mode="multiple"
      loading={channels.isPending}
      notFoundContent={unread(channels)}
      placeholder={choose}
      options={(channels.data ?? []).map(({ id, name, kind }) => ({
        value: id,
        label: `${name}（${kinds[kind]}）`,
      }))}
    />
  )
}

/** One channel, for what the others cannot tell. */
export function FallbackChoice(props: ChoiceProps<string>) {
  const channels = useQuery(reading(nameNotifyChannels, {}))
  return (
    <SearchSelect
      {...props}
      allowClear
      loading={channels.isPending}
      notFoundContent={unread(channels)}
      placeholder={choose}
      options={(channels.data ?? []).map(({ id, name, kind }) => ({
        value: id,
        label: `${name}（${kinds[kind]}）`,
      }))}
    />
  )
}

/** One person, or several in the order of being chosen. */
export function PersonChoice<Value extends string | string[]>({
  isSingle = false,
  ...props
}: ChoiceProps<Value> & { isSingle?: boolean }) {
  const people = useQuery(reading(listDutyPeople, {}))
  return (
    <SearchSelect<Value>
      {...props}
      {...(!isSingle && { mode: 'multiple' as const })}
      loading={people.isPending}
      notFoundContent={unread(people)}
      placeholder={choose}
      options={(people.data ?? []).map(({ id, name, hasContact }) => ({
        value: id,
        label: hasContact ? name : words.withoutContact(name),
      }))}
    />
  )
}

export function RoleChoice(props: ChoiceProps<string[]>) {
  const roles = useQuery(reading(listRoleNames, {}))
  return (
    <SearchSelect
      {...props}
      mode="multiple"
      loading={roles.isPending}
      notFoundContent={unread(roles)}
      placeholder={choose}
      options={(roles.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}

export function DutyChoice(props: ChoiceProps<string>) {
  const duties = useQuery(reading(nameDuties, {}))
  return (
    <SearchSelect
      {...props}
      allowClear
      loading={duties.isPending}
      notFoundContent={unread(duties)}
      placeholder={choose}
      options={(duties.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
    />
  )
}
