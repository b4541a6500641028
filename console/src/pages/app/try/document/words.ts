import { words } from '../../../../words/language.tsx'

export const documentWords = words({
  sw: {
    file: 'Chagua faili',
    fileSay: 'PDF hadi 15 MiB, picha hadi 10 MiB, au video hadi 8 MiB. Hatuhifadhi faili yako.',
    wrongFile: 'Tunasoma PDF, picha (JPEG, PNG, WebP, GIF) na video (MP4, MOV, WebM, MPEG).',
    tooLarge: (limit: string) => `Faili ni kubwa mno: mwisho ni ${limit} MiB.`,
    prompt: 'Unataka kujua nini?',
    example: 'Fupisha hati hii kwa sentensi tatu.',
    read: 'Soma',
    remove: 'Ondoa faili',
    size: (size: string) => `kB ${size}`,
    kinds: { document: 'Hati', vision: 'Picha', video: 'Video' },
  },
  en: {
    file: 'Choose a file',
    fileSay:
      'A PDF up to 15 MiB, a picture up to 10 MiB or a video up to 8 MiB. We do not keep it.',
    wrongFile: 'We read PDF, pictures (JPEG, PNG, WebP, GIF) and video (MP4, MOV, WebM, MPEG).',
    tooLarge: (limit) => `The file is too large: ${limit} MiB is the most.`,
    prompt: 'What would you like to know?',
    example: 'Sum up this document in three sentences.',
    read: 'Read it',
    remove: 'Remove the file',
    size: (size) => `${size} kB`,
    kinds: { document: 'Document', vision: 'Picture', video: 'Video' },
  },
})
