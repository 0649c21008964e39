from meter import Settings
from meter.service import serve

if __name__ == "__main__":
    for word, count in serve(Settings.from_environment()).items():
        print(word, count)
