// Links to files that are no notes: which are, and where the files are loaded from.

export type FileKind = "picture" | "audio" | "video" | "pdf" | "file";

const ENDINGS: Record<FileKind, string> = {
  picture: "png jpg jpeg gif webp avif bmp ico svg",
  audio: "mp3 m4a wav flac ogg opus 3gp",
  video: "mp4 mov mkv ogv webm",
  pdf: "pdf",
  file: "base c canvas cpp css csv doc docx epub excalidraw gz h heic htm html ics js json key log odp ods odt pages ppt pptx py rs rtf sh tar tex tgz tif tiff toml ts tsv txt xls xlsx xml yaml yml zip",
};
const KINDS = new Map(Object.entries(ENDINGS).flatMap(([kind, endings]) => endings.split(" ").map((ending) => [ending, kind as FileKind])));

/** What kind of file a link means by its ending; null if it means a note. */
export function fileKind(note: string): FileKind | null {
  return KINDS.get(/\.([a-z0-9]{1,10})$/i.exec(note)?.[1]?.toLowerCase() ?? "") ?? null;
}

/** The address of the file that a link in a note means. */
export function fileUrl(link: string, from: string): string {
  return `api/file?${new URLSearchParams({ link, from })}`;
}
