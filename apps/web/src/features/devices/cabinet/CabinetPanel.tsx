// The doors and lamps of a cabinet at their places, as last reported. Read only.
import type { DeviceDetail as Device } from '@voltkeep/contract/devices'
import { CopyText } from '../../../ui/CopyText.tsx'
import { Lamp, shortIndicatorNames } from '../../../ui/cabinet/Lamp.tsx'
import { DetailSection } from '../../../ui/detail/DetailPanel.tsx'
import { RelativeTime } from '../../../ui/time/RelativeTime.tsx'
import { deviceTexts } from '../devices.texts.ts'
import styles from './CabinetPanel.module.css'
import { ContactSign } from './ContactSign.tsx'
import { contactOf, indicatorsOf, placesOf, type Reading, readingsOf } from './cabinet.words.ts'
import { useChangedValues } from './useChangedValues.ts'

const words = deviceTexts.cabinet

export function CabinetPanel({ device }: { device: Device }) {
  const readings = readingsOf(device.parameters)
  const changed = useChangedValues(readings.map(({ parameter, value }) => [parameter.id, value]))
  const { doors, lamps, blink, contacts, settings } = placesOf(readings)
  return (
    <>
      {device.isOnline === 0 && <p className={styles.away}>{words.away}</p>}
      <p className={styles.settingsNote}>{words.isSettings}</p>
      <section className={styles.cabinet} aria-label={words.title}>
        {lamps && <Indicators of={lamps} blink={blink} isChanged={changed.has(lamps.parameter.id)} />}
        <ol className={styles.doors} aria-label={words.doors}>
          {doors.map((door, at) => (
            <li
              key={door.parameter.id}
              className={styles.door}
              data-changed={changed.has(door.parameter.id) || undefined}
            >
              <span className={styles.doorName}>{words.door(at + 1)}</span>
              <ContactSign contact={contactOf(door)} />
              <Value of={door} />
            </li>
          ))}
        </ol>
        <ul className={styles.contacts}>
          {contacts.map((contact) => (
            <li key={contact.parameter.id} data-changed={changed.has(contact.parameter.id) || undefined}>
              <span className={styles.doorName}>{contact.parameter.name}</span>
              <ContactSign contact={contactOf(contact)} />
              <Value of={contact} />
            </li>
          ))}
        </ul>
      </section>
      <DetailSection title={words.settings}>
        <ul className={styles.settings}>
          {settings.map((setting) => (
            <li key={setting.parameter.id} data-changed={changed.has(setting.parameter.id) || undefined}>
              <span className={styles.doorName}>{setting.parameter.name}</span>
              <Value of={setting} isPlain />
            </li>
          ))}
        </ul>
      </DetailSection>
    </>
  )
}

/** The strip of lamps above the doors. */
function Indicators({
  of,
  blink,
  isChanged,
}: {
  of: Reading
  blink: Reading | undefined
  isChanged: boolean
}) {
  const indicators = indicatorsOf(of)
  return (
    <div className={styles.head} data-changed={isChanged || undefined}>
      <div className={styles.headLine}>
        <span className={styles.doorName}>{of.parameter.name}</span>
        <Value of={of} isPlain />
      </div>
      <ol className={styles.lamps} aria-label={of.parameter.name}>
        {indicators
          ? indicators.map(({ name, code, word }, at) => (
              <li key={name}>
                <Lamp code={code} isPicture />
                <span>{shortIndicatorNames[at]}</span>
                <span className={styles.quiet}>{word}</span>
              </li>
            ))
          : shortIndicatorNames.map((name) => (
              <li key={name} className={styles.unreported}>
                <Lamp code={Number.NaN} isPicture />
                <span>{name}</span>
                <span className={styles.quiet}>{of.word}</span>
              </li>
            ))}
      </ol>
      {blink && (
        <div className={styles.headLine}>
          <span className={styles.doorName}>{blink.parameter.name}</span>
          <Value of={blink} isPlain />
        </div>
      )}
    </div>
  )
}

/** A reading's word and report time; the raw value too where it is not a valid one. */
function Value({ of: { value, word, isOdd, time }, isPlain = false }: { of: Reading; isPlain?: boolean }) {
  return (
    <span className={styles.value} data-plain={isPlain || undefined}>
      {isOdd && value !== null && <CopyText text={value}>{value === '' ? words.empty : value}</CopyText>}
      <span data-odd={isOdd || undefined} className={value === null ? styles.quiet : styles.word}>
        {word}
      </span>
      {time && (
        <span className={styles.time}>
          <RelativeTime time={time} isShort />
        </span>
      )}
    </span>
  )
}
